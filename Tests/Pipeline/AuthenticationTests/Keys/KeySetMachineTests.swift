import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct KeySetMachineTests {
    @Test func `the set is fetched at the start`() {
        var harness = MachineHarness()
        let outcome = harness.send(.start)
        #expect(outcome.fetches == 1)
        #expect(outcome.views.last?.isFetching == true)
        #expect(harness.send(.start).fetches == 0)
    }

    @Test func `nothing is fetched before the start`() {
        var harness = MachineHarness()
        #expect(harness.send(.unknownKeyRequested).actions.isEmpty)
        #expect(harness.send(.refreshRequested).actions.isEmpty)
        #expect(harness.send(.tick).actions.isEmpty)
        #expect(harness.machine.deadline == nil)
    }

    @Test func `a valid set is published`() throws {
        var harness = MachineHarness()
        harness.send(.start)
        let outcome = harness.send(.fetched(try FetchedKeySet([TestKey("a")])))
        let view = try #require(outcome.views.last)
        #expect(view.isLoaded && view.lastFetchSucceeded && !view.isFetching)
        #expect(view.lookup(kid: "a", now: harness.now).keyID == "a")
        #expect(view.usableUntil == harness.now + .seconds(3600 + 86_400))
    }

    @Test func `a set is refreshed before the end of its lifetime`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")], maxAge: 1000)
        let wait = try #require(harness.secondsToDeadline)
        #expect((720...800).contains(wait))
        #expect(harness.advance(seconds: wait - 1).fetches == 0)
        #expect(harness.advance(seconds: 1).fetches == 1)
    }

    @Test func `gateways with different seeds refresh at different times`() throws {
        let key = try TestKey("a")
        let waits = try (0..<20).map { try MachineHarness(loaded: [key], seed: $0).secondsToDeadline }
        #expect(Set(waits).count == waits.count)
    }

    @Test func `one fetch runs at a time`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        #expect(harness.advanceToDeadline().fetches == 1)
        harness.send(.unknownKeyRequested)
        harness.send(.refreshRequested)
        harness.advance(seconds: 5)
        #expect(harness.fetches == 2)
    }

    @Test func `a response without a fetch changes nothing`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        #expect(harness.send(.fetched(try FetchedKeySet([TestKey("b")]))).actions.isEmpty)
        #expect(harness.send(.fetchFailed(.down)).actions.isEmpty)
        #expect(harness.lookup("a").keyID == "a")
    }

    @Test func `F-11: the generation changes only with the keys`() throws {
        let (a, b) = (try TestKey("a"), try TestKey("b"))
        var harness = try MachineHarness(loaded: [a, b])
        let first = harness.view.generation
        #expect(first != 0)
        let fetches = harness.view.completedFetches
        try harness.refresh([b, a], maxAge: 60)
        #expect(harness.view.generation == first && harness.view.completedFetches == fetches + 1)
        #expect(harness.send(.refreshRequested).fetches == 1)
        harness.send(.fetchFailed(.down))
        #expect(harness.view.generation == first)
        try harness.refresh([b])
        #expect(harness.view.generation != first)
        #expect(harness.lookup("a").keyID == nil)
    }

    @Test func `F-13: other algorithms or another issuer of a key change the generation`() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        var seen: Set<UInt64> = [harness.view.generation]
        for algorithms in [[.es256], [.es256, .rs256], nil] as [Set<Algorithm>?] {
            var fetched = try FetchedKeySet([key])
            fetched.algorithms = algorithms
            harness.send(.refreshRequested)
            harness.send(.fetched(fetched))
            #expect(harness.view.algorithms == algorithms)
            #expect(seen.insert(harness.view.generation).inserted)
        }
        let issued = key.jwk.dropLast() + #","issuer":"https://id.example"}"#
        harness.send(.refreshRequested)
        let set = try KeySet(jwkSet: Array("{\"keys\":[\(issued)]}".utf8))
        harness.send(.fetched(try FetchedKeySet(set, maxAge: 60)))
        #expect(seen.insert(harness.view.generation).inserted)
    }

    @Test func `F-11: another key with the same kid changes the generation`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        let first = harness.view.generation
        try harness.refresh([TestKey("a")])
        #expect(harness.view.generation != first)
    }

    @Test func `added and removed keys are logged`() throws {
        let (a, b, c) = (try TestKey("a"), try TestKey("b"), try TestKey("c"))
        var harness = try MachineHarness(loaded: [a, b])
        let outcome = try harness.refresh([b, c])
        guard case .changed(["c"], ["a"])? = outcome.events.first else {
            Issue.record("not logged")
            return
        }
    }

    @Test func `skipped keys are logged once and are in the status`() throws {
        let key = try TestKey("a")
        let junk = [#"{"kty":"oct","k":"AA","kid":"shared"}"#]
        var harness = MachineHarness()
        harness.send(.start)
        let outcomes = [
            harness.send(.fetched(try FetchedKeySet([key], junk: junk))), try harness.refresh([key], junk: junk),
        ]
        #expect(outcomes.map { $0.events.contains { if case .skipped = $0 { true } else { false } } } == [true, false])
        #expect(harness.machine.status(source: "s", now: harness.now).skipped.map(\.keyID) == ["shared"])
    }
}

/// A key set whose source the previous configuration had, too.
@Suite struct KeySetInheritanceTests {
    private func heir(of harness: MachineHarness) -> KeySetMachine {
        KeySetMachine(
            timing: harness.machine.timing, seed: 2, firstGeneration: 1 << 32, inheriting: harness.machine)
    }

    @Test func `it has the keys under its own generation`() throws {
        let harness = try MachineHarness(loaded: [TestKey("a")])
        let view = heir(of: harness).view
        #expect(view.isLoaded)
        #expect(view.lookup(kid: "a", now: harness.now, waitingSince: nil).keyID == "a")
        #expect(view.generation == 1 << 32)
        #expect(view.usableUntil == harness.view.usableUntil)
    }

    @Test func `it is fetched again immediately`() throws {
        var machine = heir(of: try MachineHarness(loaded: [TestKey("a")]))
        #expect(Outcome(actions: machine.handle(.start, now: 5)).fetches == 1)
    }

    @Test func `it is removed at the end of its lifetime even if its source fails`() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        harness.machine = heir(of: harness)
        harness.send(.start)
        harness.send(.fetchFailed(.down))
        #expect(harness.lookup("a").keyID == "a")
        harness.now = harness.view.usableUntil
        harness.send(.tick)
        #expect(harness.view.keys == nil)
    }

    @Test func `it is empty if the set before was not loaded`() {
        let view = heir(of: MachineHarness()).view
        #expect(!view.isLoaded && view.generation == 0)
    }
}

@Suite struct KeySetLogTests {
    @Test func `a failure is a warning while the last valid set is used, and an error without one`() {
        let warning = KeySetLogLine(.fetchFailed(.down, inARow: 1, retryIn: .seconds(2), usableFor: .seconds(60)))
        let error = KeySetLogLine(.fetchFailed(.down, inARow: 1, retryIn: .seconds(2), usableFor: nil))
        #expect("\(warning.level)" == "warning" && "\(error.level)" == "error")
        #expect("\(warning.metadata)".contains("unreachable") && "\(warning.metadata)".contains("60s"))
    }

    @Test func `an unchanged set is logged for debugging`() {
        #expect("\(KeySetLogLine(.unchanged(lifetime: 1)).level)" == "debug")
        #expect("\(KeySetLogLine(.unknownKey).level)" == "debug")
    }

    @Test func `the names of keys in the log are bounded`() {
        let names = (0..<500).map { String(repeating: "k", count: 10_000) + "\($0)" }
        let line = KeySetLogLine(.changed(added: names, removed: names))
        #expect("\(line.metadata)".utf8.count < 4096)
    }

    @Test func `no key material is logged`() throws {
        let (first, second) = (try TestKey("first"), try TestKey("second"))
        var harness = try MachineHarness(loaded: [first])
        let outcome = try harness.refresh([second], junk: [#"{"kty":"oct","k":"SECRET"}"#])
        let lines = outcome.events.map { "\(KeySetLogLine($0))" }.joined()
        #expect(lines.contains("first") && lines.contains("second"))
        #expect(!lines.contains("SECRET"))
        for value in second.jwk.split(separator: "\"") where value.count > 20 { #expect(!lines.contains(value)) }
    }
}
