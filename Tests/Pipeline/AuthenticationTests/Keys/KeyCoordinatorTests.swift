import GatewayConfiguration
import Synchronization
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite(.timeLimit(.minutes(5))) struct KeyCoordinatorTests {
    private let key: TestKey

    init() throws {
        key = try TestKey("a")
    }

    @Test func `each URL is one set`() async throws {
        let harness = CoordinatorHarness(urls: ["https://a/1", "https://b/2", "https://a/1"])
        #expect(harness.coordinator.sources == [.url("https://a/1"), .url("https://b/2")])
        #expect(harness.coordinator.set(for: .url("https://b/2")) == 1)
        #expect(harness.coordinator.set(for: .url("https://c/3")) == nil)
        try await harness.run { _ in
            let calls = [await harness.fetcher.next(), await harness.fetcher.next()]
            #expect(Set(calls.compactMap { $0?.url }) == ["https://a/1", "https://b/2"])
            for call in calls { call?.fail() }
        }
    }

    @Test func `two coordinators use different generations`() async throws {
        var generations: [UInt64] = []
        for _ in 0..<2 {
            let harness = CoordinatorHarness()
            try await harness.run { try await harness.serve([key], to: $0) }
            generations.append(harness.coordinator.view(of: 0).generation)
        }
        #expect(generations[0] != generations[1])
    }

    @Test func `a subscriber gets the present view and every later one`() async throws {
        let harness = CoordinatorHarness()
        let early = Subscriber(harness.coordinator)
        #expect(await early.next()?.isLoaded == false)
        try await harness.run { subscriber in
            try await harness.serve([key], to: subscriber)
            #expect(await early.next { $0.isFetching } != nil)
            #expect(await early.next()?.isLoaded == true)
            #expect(await Subscriber(harness.coordinator).next()?.isLoaded == true)
        }
    }

    @Test func `a subscriber gets no view after unsubscribing`() async throws {
        let harness = CoordinatorHarness()
        let calls = Atomic<Int>(0)
        let subscription = harness.coordinator.subscribe { _, _ in calls.wrappingAdd(1, ordering: .relaxed) }
        harness.coordinator.unsubscribe(subscription)
        try await harness.run { try await harness.serve([key], to: $0) }
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test func `the timer refreshes before the lifetime ends`() async throws {
        let harness = CoordinatorHarness()
        try await harness.run { subscriber in
            try await harness.serve([key], maxAge: 1000, to: subscriber)
            harness.time.advance(seconds: 800)
            let view = try #require(try await harness.serve([key], maxAge: 1000, to: subscriber))
            #expect(view.completedFetches == 2)
        }
    }

    @Test func `F-08: a source that fails at the start is fetched until it responds`() async throws {
        let harness = CoordinatorHarness()
        try await harness.run { subscriber in
            for _ in 0..<3 {
                await harness.fetcher.next()?.fail()
                _ = await subscriber.next { !$0.isFetching && $0.completedFetches > 0 }
                #expect(harness.coordinator.status()[0].isLoaded == false)
                harness.time.advance(seconds: 60)
            }
            let view = try await harness.serve([key], to: subscriber)
            #expect(view?.isLoaded == true)
        }
    }

    @Test func `F-01, F-06: concurrent requests of many workers share one fetch`() async throws {
        let (old, new) = (try TestKey("old"), try TestKey("new"))
        let harness = CoordinatorHarness()
        try await harness.run { subscriber in
            try await harness.serve([old], to: subscriber)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<1000 { group.addTask { harness.coordinator.requestRefresh(set: 0) } }
            }
            let view = try #require(try await harness.serve([old, new], to: subscriber))
            #expect(view.lookup(kid: "new", now: harness.time.now).keyID == "new")
            for _ in 0..<1000 { harness.coordinator.requestRefresh(set: 0) }
            // The operator's refresh is the third fetch, so the requests before it started none.
            await harness.coordinator.refresh(set: 0)
            try await harness.serve([old, new], to: subscriber)
            #expect(harness.fetcher.count == 3)
        }
    }

    @Test func `F-21: a failed fetch is published although one subscriber left`() async throws {
        let harness = CoordinatorHarness()
        try await harness.run { subscriber in
            let leaving = Subscriber(harness.coordinator)
            try await harness.serve([key], to: subscriber)
            harness.coordinator.requestRefresh(set: 0)
            let call = await harness.fetcher.next()
            harness.coordinator.unsubscribe(leaving.subscription)
            call?.fail()
            let view = try #require(await subscriber.next { $0.completedFetches == 2 })
            #expect(view.lookup(kid: "x", now: harness.time.now, waitingSince: 1).retryAfter != nil)
            #expect(view.lookup(kid: "a", now: harness.time.now).keyID == "a")
        }
    }

    @Test func `F-07: a set that outlived its time is removed, and the status reports it`() async throws {
        let harness = CoordinatorHarness { $0.staleFor = .seconds(10) }
        try await harness.run { subscriber in
            try await harness.serve([key], maxAge: 60, to: subscriber)
            harness.time.advance(seconds: 60)
            await harness.fetcher.next()?.fail()
            _ = await subscriber.next { !$0.lastFetchSucceeded && !$0.isFetching }
            #expect(harness.coordinator.status()[0].isUsable)
            harness.time.advance(seconds: 11)
            _ = await subscriber.next { $0.keys == nil }
            let status = harness.coordinator.status()[0]
            #expect(status.isLoaded && !status.isUsable && status.failures == 1)
        }
    }

    @Test func `a slow source does not delay another`() async throws {
        let harness = CoordinatorHarness(urls: ["https://a/1", "https://b/2"])
        try await harness.run { subscriber in
            let calls = [await harness.fetcher.next(), await harness.fetcher.next()].compactMap { $0 }
            let slow = try #require(calls.first { $0.url == "https://a/1" })
            calls.first { $0.url == "https://b/2" }?.succeed(try FetchedKeySet([key]))
            #expect(await subscriber.next(set: 1) { $0.isLoaded } != nil)
            #expect(harness.coordinator.status().map(\.isLoaded) == [false, true])
            slow.fail()
        }
    }

    @Test func `requests after the stop have no effect`() async throws {
        let harness = CoordinatorHarness()
        let running = Task { await harness.coordinator.run() }
        try await harness.serve([key], to: Subscriber(harness.coordinator))
        running.cancel()
        await running.value
        harness.coordinator.requestRefresh(set: 0)
        await harness.coordinator.refresh(set: 0)
        #expect(harness.fetcher.count == 1)
        #expect(harness.coordinator.view(of: 0).isLoaded)
    }

    @Test func `events are logged with their source`() async throws {
        let harness = CoordinatorHarness()
        try await harness.run { try await harness.serve([key], to: $0) }
        guard case (.loaded(["a"], _), .url("https://a.example/keys"))? = harness.events.all.first else {
            Issue.record("not logged")
            return
        }
    }
}
