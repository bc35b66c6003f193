import Testing

@testable import Authentication
@testable import GatewayFixtures

@Suite("A key set of a source that an earlier configuration had too")
struct KeySetInheritanceTests {
    private func heir(of harness: MachineHarness) -> KeySetMachine {
        KeySetMachine(
            timing: harness.machine.timing, seed: 2, firstGeneration: 1 << 32, inheriting: harness.machine)
    }

    @Test func holdsItsKeysUnderAGenerationOfItsOwn() throws {
        let harness = try MachineHarness(loaded: [TestKey("a")])
        let view = heir(of: harness).view
        #expect(view.isLoaded)
        #expect(view.lookup(kid: "a", now: harness.now, waitingSince: nil).keyID == "a")
        #expect(view.generation == 1 << 32)
        #expect(view.usableUntil == harness.view.usableUntil)
    }

    @Test func isReadAgainAtOnce() throws {
        var machine = heir(of: try MachineHarness(loaded: [TestKey("a")]))
        #expect(Outcome(actions: machine.handle(.start, now: 5)).fetches == 1)
    }

    @Test func isGoneWhenItsTimeIsOverAlthoughItsSourceFails() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        harness.machine = heir(of: harness)
        harness.send(.start)
        harness.send(.fetchFailed(.down))
        #expect(harness.lookup("a").keyID == "a")
        harness.now = harness.view.usableUntil
        harness.send(.tick)
        #expect(harness.view.keys == nil)
    }

    @Test func ofNothingIsNothing() {
        let view = heir(of: MachineHarness()).view
        #expect(!view.isLoaded && view.generation == 0)
    }
}
