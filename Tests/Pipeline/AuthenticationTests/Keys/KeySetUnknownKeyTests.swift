import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct KeySetUnknownKeyTests {
    @Test func `F-06: after a rotation all requests share one fetch and succeed`() throws {
        let (old, new) = (try TestKey("old"), try TestKey("new"))
        var harness = try MachineHarness(loaded: [old])
        let since = harness.view.completedFetches
        #expect(harness.lookup("new").isFetch)
        for _ in 0..<100 { harness.send(.unknownKeyRequested) }
        #expect(harness.fetches == 2)
        #expect(harness.lookup("new", waitingSince: since).isFetch)
        let outcome = harness.send(.fetched(try FetchedKeySet([old, new])))
        #expect(outcome.views.last?.lookup(kid: "new", now: harness.now, waitingSince: since).keyID == "new")
    }

    @Test func `F-01: 10,000 random kids in an hour cost at most one fetch per cooldown`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")], maxAge: 86_400)
        for index in 0..<10_000 {
            if harness.lookup("random-\(index)").isFetch { harness.send(.unknownKeyRequested) }
            if harness.view.isFetching { try harness.serve(maxAge: 86_400) }
            harness.now += .seconds(0.36)
        }
        #expect(harness.fetches <= 1 + 3600 / 30)
        #expect(harness.fetches >= 100)
    }

    @Test func `F-03: unknown kids leave no state behind`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        harness.send(.unknownKeyRequested)
        harness.send(.fetchFailed(.down))
        let before = "\(harness.machine)"
        for index in 0..<1000 {
            _ = harness.lookup("random-\(index)")
            #expect(harness.send(.unknownKeyRequested).actions.isEmpty)
        }
        #expect("\(harness.machine)" == before)
    }

    @Test func `within the cooldown an unknown key is reported immediately`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        harness.send(.unknownKeyRequested)
        try harness.serve()
        #expect(harness.lookup("x").isUnknown)
        harness.now += .seconds(29.9)
        #expect(harness.lookup("x").isUnknown)
        #expect(harness.send(.unknownKeyRequested).actions.isEmpty)
        harness.now += .seconds(0.1)
        #expect(harness.lookup("x").isFetch)
        #expect(harness.send(.unknownKeyRequested).fetches == 1)
    }

    @Test func `a key is unknown only if the last fetch succeeded`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        harness.send(.unknownKeyRequested)
        harness.send(.fetchFailed(.down))
        #expect((1...2).contains(harness.lookup("x").retryAfter ?? 0))
        harness.advanceToDeadline()
        try harness.serve()
        #expect(harness.lookup("x").isUnknown)
    }

    @Test func `a request that waited for a fetch uses its result even after the cooldown`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        let since = harness.view.completedFetches
        harness.send(.unknownKeyRequested)
        harness.now += .seconds(40)
        try harness.serve()
        #expect(harness.lookup("x", waitingSince: since).isUnknown)
        #expect(harness.lookup("x").isFetch)
    }

    @Test func `F-04, F-21: a failed fetch ends the wait of all tokens, and known keys are used meanwhile`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        let since = harness.view.completedFetches
        for _ in 0..<2 { harness.send(.unknownKeyRequested) }
        #expect(harness.lookup("a").keyID == "a")
        let outcome = harness.send(.fetchFailed(.down))
        let view = try #require(outcome.views.last)
        for kid in ["x", "y"] {
            #expect(view.lookup(kid: kid, now: harness.now, waitingSince: since).retryAfter != nil)
        }
        #expect(harness.lookup("a").keyID == "a")
    }

    @Test func `a fetch under way is shared and starts no cooldown`() throws {
        var harness = try MachineHarness(loaded: [TestKey("old")])
        harness.advanceToDeadline()
        let fetches = harness.fetches
        #expect(harness.lookup("new").isFetch)
        #expect(harness.send(.unknownKeyRequested).actions.isEmpty)
        #expect(harness.fetches == fetches)
        try harness.serve()
        #expect(harness.lookup("new").isFetch)
    }

    @Test func `the retry time is at least one second`() {
        let view = KeySetView(isLoaded: true, cooldownUntil: 20, nextFetchAt: 10)
        #expect(view.lookup(kid: "x", now: 15).retryAfter == 1)
        let late = KeySetView(isLoaded: true, cooldownUntil: .max, nextFetchAt: .max)
        #expect((late.lookup(kid: "x", now: 0).retryAfter ?? 0) > 1)
    }
}
