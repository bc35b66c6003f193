import GatewayConfiguration
import JOSE
import OutboundHTTP
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct KeySetMachineFailureTests {
    @Test func `F-08: a source that fails at the start is retried without a limit`() throws {
        var harness = MachineHarness()
        harness.send(.start)
        for _ in 0..<500 {
            harness.send(.fetchFailed(.down))
            #expect(!harness.view.isLoaded)
            let wait = try #require(harness.secondsToDeadline)
            #expect((1...60).contains(wait))
            #expect(harness.advanceToDeadline().fetches == 1)
        }
        harness.send(.fetched(try FetchedKeySet([TestKey("a")])))
        #expect(harness.view.isLoaded && harness.view.lastFetchSucceeded)
        #expect(harness.lookup("a").keyID == "a")
    }

    @Test func `F-08: requests wait for an imminent fetch, otherwise they get a retry time`() {
        var harness = MachineHarness()
        #expect(harness.lookup("a").isFetch)
        harness.send(.start)
        #expect(harness.lookup("a").isFetch)
        harness.send(.fetchFailed(.down))
        #expect(harness.lookup("a").isFetch)
        harness.send(.unknownKeyRequested)
        for _ in 0..<6 {
            harness.send(.fetchFailed(.down))
            harness.send(.refreshRequested)
        }
        harness.send(.fetchFailed(.down))
        #expect(harness.lookup("a").retryAfter == 30)
    }

    @Test func `F-07: after failures the last valid set is used for its lifetime and stale_for`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")], maxAge: 3600) { $0.staleFor = .seconds(7200) }
        let end = harness.now + .seconds(3600 + 7200)
        let generation = harness.view.generation
        while let deadline = harness.machine.deadline, deadline < end {
            #expect(harness.advanceToDeadline().fetches == 1)
            harness.send(.fetchFailed(.down))
            #expect(harness.lookup("a").keyID == "a")
            #expect(harness.view.generation == generation)
        }
        let outcome = harness.advanceToDeadline()
        #expect(harness.now == end)
        #expect(outcome.views.last?.keys == nil)
        #expect(harness.view.generation != generation)
        #expect(harness.view.isLoaded)
        #expect(outcome.events.contains { if case .gone = $0 { true } else { false } })
    }

    @Test func `F-07: without a usable set tokens get 503 with Retry-After, not 401`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")], maxAge: 60) { $0.staleFor = .zero }
        harness.advanceToDeadline()
        harness.now += .seconds(60)
        harness.send(.fetchFailed(.down))
        #expect(harness.lookup("a").isFetch)
        harness.send(.unknownKeyRequested)
        harness.send(.fetchFailed(.down))
        #expect((harness.lookup("a").retryAfter ?? 0) >= 1)
    }

    @Test func `F-07: a set that is fetched again has a new generation`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")], maxAge: 60) { $0.staleFor = .zero }
        let before = harness.view.generation
        harness.advanceToDeadline()
        harness.advance(seconds: 60)
        harness.send(.fetchFailed(.down))
        let gone = harness.view.generation
        harness.advanceToDeadline()
        try harness.serve()
        #expect(harness.lookup("a").keyID == "a")
        #expect(Set([before, gone, harness.view.generation]).count == 3)
    }

    @Test func `a view that is not renewed becomes unusable`() throws {
        let harness = try MachineHarness(loaded: [TestKey("a")])
        let view = harness.view
        #expect(view.isUsable(now: view.usableUntil - 1))
        #expect(!view.isUsable(now: view.usableUntil))
        #expect(view.lookup(kid: "a", now: view.usableUntil).keyID == nil)
    }

    @Test func `a set is removed in time even while a fetch hangs`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")], maxAge: 60) { $0.staleFor = .seconds(30) }
        harness.advanceToDeadline()
        #expect(harness.view.isFetching)
        harness.advanceToDeadline()
        #expect(harness.view.keys == nil && harness.view.isFetching)
    }

    @Test(arguments: KeyFetchError.Code.allCases)
    func `F-18, F-19: no failure replaces the valid set`(code: KeyFetchError.Code) throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        let generation = harness.view.generation
        let outcome = harness.failRefresh(KeyFetchError(code))
        #expect(harness.lookup("a").keyID == "a")
        #expect(harness.view.generation == generation)
        #expect(outcome.views.last?.lastFetchSucceeded == false)
        #expect(harness.machine.status(source: "s", now: harness.now).lastError?.code == code)
    }

    @Test func `F-18: a set without a usable key is a failure`() throws {
        for body in [#"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AA","kid":"a"}]}"#] {
            let keys = try KeySet(jwkSet: Array(body.utf8))
            let error = #expect(throws: KeyFetchError.self) { try FetchedKeySet(keys, maxAge: 60) }
            #expect(error?.code == .noUsableKeys)
        }
    }

    @Test func `recovery resets the backoff and is logged`() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        for _ in 0..<5 {
            harness.failRefresh()
        }
        let outcome = try harness.refresh([key])
        guard case .recovered(5)? = outcome.events.first else {
            Issue.record("not logged")
            return
        }
        harness.failRefresh()
        #expect((1...2).contains(try #require(harness.secondsToDeadline)))
    }

    @Test func `the status has the failures and the last error`() throws {
        var harness = try MachineHarness(loaded: [TestKey("b"), TestKey("a")], maxAge: 100)
        harness.advance(seconds: 90)
        harness.send(.fetchFailed(.down))
        harness.now += .seconds(30)
        let status = harness.machine.status(source: "s", now: harness.now)
        #expect(status.isLoaded && status.isUsable && status.isStale)
        #expect(status.keyIDs == ["a", "b"])
        #expect(status.thumbprints.map(\.keyID) == ["a", "b"])
        // The SHA-256 of the key in base64url.
        #expect(Set(status.thumbprints.map(\.thumbprint)).count == 2)
        #expect(status.thumbprints.allSatisfy { $0.thumbprint.count == 43 })
        #expect(status.age == 120 && status.lifetime == 100)
        #expect(status.fetches == 2 && status.failures == 1 && status.failuresInARow == 1)
        #expect(status.lastError == .down)
    }
}
