import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite("A key set that its source serves")
struct KeySetMachineTests {
    @Test func theSourceIsAskedAtTheStart() {
        var harness = MachineHarness()
        let outcome = harness.send(.start)
        #expect(outcome.fetches == 1)
        #expect(outcome.views.last?.isFetching == true)
        #expect(harness.send(.start).fetches == 0)
    }

    @Test func beforeTheStartNothingIsAsked() {
        var harness = MachineHarness()
        #expect(harness.send(.unknownKeyAsked).actions.isEmpty)
        #expect(harness.send(.refreshAsked).actions.isEmpty)
        #expect(harness.send(.tick).actions.isEmpty)
        #expect(harness.machine.deadline == nil)
    }

    @Test func aGoodSetIsPublished() throws {
        var harness = MachineHarness()
        harness.send(.start)
        let outcome = harness.send(.fetched(try FetchedKeySet([TestKey("a")])))
        let view = try #require(outcome.views.last)
        #expect(view.isLoaded && view.lastFetchSucceeded && !view.isFetching)
        #expect(view.lookup(kid: "a", now: harness.now).keyID == "a")
        #expect(view.usableUntil == harness.now + .seconds(3600 + 86_400))
    }

    @Test func itIsRefreshedAheadOfTheEndOfItsLifetime() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")], maxAge: 1000)
        let wait = try #require(harness.secondsToDeadline)
        #expect((720...800).contains(wait))
        #expect(harness.advance(seconds: wait - 1).fetches == 0)
        #expect(harness.advance(seconds: 1).fetches == 1)
    }

    @Test func gatewaysWithOtherSeedsRefreshAtOtherTimes() throws {
        let key = try TestKey("a")
        let waits = try (0..<20).map { try MachineHarness(loaded: [key], seed: $0).secondsToDeadline }
        #expect(Set(waits).count == waits.count)
    }

    @Test func oneFetchRunsAtATime() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        #expect(harness.advanceToDeadline().fetches == 1)
        harness.send(.unknownKeyAsked)
        harness.send(.refreshAsked)
        harness.advance(seconds: 5)
        #expect(harness.fetches == 2)
    }

    @Test func anAnswerThatNobodyAwaitsChangesNothing() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        #expect(harness.send(.fetched(try FetchedKeySet([TestKey("b")]))).actions.isEmpty)
        #expect(harness.send(.fetchFailed(.down)).actions.isEmpty)
        #expect(harness.lookup("a").keyID == "a")
    }

    @Test func anOperatorsRefreshFetchesAtOnce() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        #expect(harness.send(.refreshAsked).fetches == 1)
    }

    @Test("F-11: the generation changes when a key is removed, and only with the content")
    func generationFollowsContent() throws {
        let (a, b) = (try TestKey("a"), try TestKey("b"))
        var harness = try MachineHarness(loaded: [a, b])
        let first = harness.view.generation
        #expect(first != 0)
        harness.send(.refreshAsked)
        harness.send(.fetched(try FetchedKeySet([b, a], maxAge: 60)))
        #expect(harness.view.generation == first)
        harness.send(.refreshAsked)
        harness.send(.fetchFailed(.down))
        #expect(harness.view.generation == first)
        harness.send(.refreshAsked)
        harness.send(.fetched(try FetchedKeySet([b])))
        #expect(harness.view.generation != first)
        #expect(harness.lookup("a").keyID == nil)
    }

    @Test("F-13: other algorithms, or another issuer of a key, are another generation")
    func generationFollowsPolicy() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        var seen: Set<UInt64> = [harness.view.generation]
        for algorithms in [[.es256], [.es256, .rs256], nil] as [Set<Algorithm>?] {
            var fetched = try FetchedKeySet([key])
            fetched.algorithms = algorithms
            harness.send(.refreshAsked)
            harness.send(.fetched(fetched))
            #expect(harness.view.algorithms == algorithms)
            #expect(seen.insert(harness.view.generation).inserted)
        }
        let issued = key.jwk.dropLast() + #","issuer":"https://id.example"}"#
        harness.send(.refreshAsked)
        let set = try KeySet(jwkSet: Array("{\"keys\":[\(issued)]}".utf8))
        harness.send(.fetched(try FetchedKeySet(set, maxAge: 60)))
        #expect(seen.insert(harness.view.generation).inserted)
    }

    @Test("F-11: another key under the same kid is another generation")
    func generationFollowsKeyMaterial() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        let first = harness.view.generation
        harness.send(.refreshAsked)
        harness.send(.fetched(try FetchedKeySet([TestKey("a")])))
        #expect(harness.view.generation != first)
    }

    @Test func aFetchThatChangesNothingIsStillPublished() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        let before = harness.view.completedFetches
        harness.send(.refreshAsked)
        let outcome = harness.send(.fetched(try FetchedKeySet([key])))
        #expect(outcome.views.last?.completedFetches == before + 1)
    }

    @Test func addedAndRemovedKeysAreLogged() throws {
        let (a, b, c) = (try TestKey("a"), try TestKey("b"), try TestKey("c"))
        var harness = try MachineHarness(loaded: [a, b])
        harness.send(.refreshAsked)
        let outcome = harness.send(.fetched(try FetchedKeySet([b, c])))
        guard case .changed(let added, let removed)? = outcome.events.first else {
            Issue.record("not logged")
            return
        }
        #expect(added == ["c"] && removed == ["a"])
    }

    @Test func skippedKeysAreLoggedOnceAndShownInTheStatus() throws {
        let key = try TestKey("a")
        let junk = [#"{"kty":"oct","k":"AA","kid":"shared"}"#]
        var harness = MachineHarness()
        harness.send(.start)
        let first = harness.send(.fetched(try FetchedKeySet([key], junk: junk)))
        harness.send(.refreshAsked)
        let second = harness.send(.fetched(try FetchedKeySet([key], junk: junk)))
        #expect(first.events.contains { if case .skipped = $0 { true } else { false } })
        #expect(!second.events.contains { if case .skipped = $0 { true } else { false } })
        #expect(harness.machine.status(source: "s", now: harness.now).skipped.map(\.keyID) == ["shared"])
    }
}
