import GatewayConfiguration
import OutboundHTTP

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

/// A machine with a clock that only the test moves.
struct MachineHarness {
    var machine: KeySetMachine
    var now: UInt64 = .seconds(1000)
    private(set) var fetches = 0

    init(seed: UInt64 = 1, _ change: (inout Configuration.KeyPolicy) -> Void = { _ in }) {
        var policy = Configuration.KeyPolicy()
        change(&policy)
        machine = KeySetMachine(timing: KeySetTiming(policy), seed: seed)
    }

    /// A harness whose set was read once.
    init(
        loaded keys: [TestKey], maxAge: UInt64 = 3600, seed: UInt64 = 1,
        _ change: (inout Configuration.KeyPolicy) -> Void = { _ in }
    ) throws {
        self.init(seed: seed, change)
        send(.start)
        send(.fetched(try FetchedKeySet(keys, maxAge: maxAge)))
    }

    var view: KeySetView { machine.view }

    @discardableResult
    mutating func send(_ event: KeySetMachine.Event) -> Outcome {
        let outcome = Outcome(actions: machine.handle(event, now: now))
        fetches += outcome.fetches
        return outcome
    }

    /// Moves the clock, then ticks.
    @discardableResult
    mutating func advance(seconds: Double) -> Outcome {
        now += .seconds(seconds)
        return send(.tick)
    }

    /// Moves the clock to the machine's next deadline, then ticks.
    @discardableResult
    mutating func advanceToDeadline() -> Outcome {
        now = machine.deadline ?? now
        return send(.tick)
    }

    /// The seconds until the machine wants to be woken.
    var secondsToDeadline: Double? {
        machine.deadline.map { Double($0 - now) / 1e9 }
    }

    func lookup(_ kid: String, waitingSince: UInt64? = nil) -> KeyLookup {
        view.lookup(kid: kid, now: now, waitingSince: waitingSince)
    }
}

/// What a machine wants done.
struct Outcome {
    let actions: [KeySetMachine.Action]

    var fetches: Int {
        actions.count { if case .fetch = $0 { true } else { false } }
    }

    var views: [KeySetView] {
        actions.compactMap { if case .publish(let view) = $0 { view } else { nil } }
    }

    var events: [KeySetEvent] {
        actions.compactMap { if case .log(let event) = $0 { event } else { nil } }
    }
}
