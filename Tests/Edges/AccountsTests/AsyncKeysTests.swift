import Authentication
import JOSE
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite(.timeLimit(.minutes(1))) struct AsyncKeysTests {
    private let harness = CoordinatorHarness()

    private var keys: AsyncKeys {
        let time = harness.time
        return AsyncKeys(
            coordinator: harness.coordinator, monotonic: { time.now }, sleepUntil: { try await time.sleep(until: $0) })
    }

    @Test func aKeyThatIsKnownIsThereAtOnce() async throws {
        let (keys, key) = (keys, try TestKey("a"))
        try await harness.run { subscriber in
            try await harness.serve([key], to: subscriber)
            let found = await keys.key(kid: "a", set: 0)
            #expect(found.keyID == "a")
            #expect(harness.fetcher.count == 1)
        }
    }

    @Test func aSetThatIsStillLoadingIsWaitedFor() async throws {
        let (keys, key) = (keys, try TestKey("a"))
        try await harness.run { subscriber in
            async let found = keys.key(kid: "a", set: 0)
            try await harness.serve([key], to: subscriber)
            #expect(await found.keyID == "a")
        }
    }

    @Test func unknownKeysAreAskedForByOneFetchForAll() async throws {
        let keys = keys
        let (old, new) = (try TestKey("a"), try TestKey("b"))
        try await harness.run { subscriber in
            try await harness.serve([old], to: subscriber)
            harness.time.advance(seconds: 60)
            async let first = keys.key(kid: "b", set: 0)
            async let second = keys.key(kid: "c", set: 0)
            try await harness.serve([old, new], to: subscriber)
            #expect(await first.keyID == "b")
            #expect(await second.isUnknown)
            #expect(harness.fetcher.count == 2)
        }
    }

    @Test func aSourceThatIsDownMakesTheKeyUnavailable() async throws {
        let keys = keys
        let key = try TestKey("a")
        try await harness.run { subscriber in
            try await harness.serve([key], to: subscriber)
            harness.time.advance(seconds: 60)
            async let found = keys.key(kid: "b", set: 0)
            await harness.fetcher.next()?.fail()
            #expect(await found.retryAfter != nil)
        }
    }

    @Test func aSourceThatDoesNotAnswerIsWaitedForFiveSeconds() async throws {
        let keys = keys
        try await harness.run { _ in
            let call = await harness.fetcher.next()
            async let found = keys.key(kid: "a", set: 0)
            while harness.time.sleeping == 0 { await Task.yield() }
            harness.time.advance(seconds: 5)
            #expect(await found.retryAfter == 1)
            call?.fail()
        }
    }

    @Test func noMoreCallsWaitThanTheBoundAllows() async throws {
        let keys = keys
        try await harness.run { _ in
            let call = await harness.fetcher.next()
            let waiting = (0..<AsyncKeys.maximumWaiting).map { _ in Task { await keys.key(kid: "a", set: 0) } }
            while harness.time.sleeping < AsyncKeys.maximumWaiting { await Task.yield() }
            #expect(await keys.key(kid: "a", set: 0).retryAfter == 1)
            harness.time.advance(seconds: 5)
            for task in waiting { _ = await task.value }
            call?.fail()
        }
    }

    @Test func aSetThatNobodyHasIsUnavailable() async throws {
        #expect(await keys.key(kid: "a", set: 7).retryAfter == 1)
        #expect(keys.view(of: 7).keys == nil)
    }
}

extension KeyLookupResult {
    var keyID: String? {
        guard case .key(let key, _) = self else { return nil }
        return key.keyID
    }

    var isUnknown: Bool {
        guard case .unknown = self else { return false }
        return true
    }

    /// The seconds of `Retry-After`; nil for another result.
    var retryAfter: Int? {
        guard case .unavailable(let seconds) = self else { return nil }
        return seconds
    }
}
