import GatewayConfiguration
import OutboundHTTP

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

/// A machine with a clock that the test advances.
struct MachineHarness {
    var machine: KeySetMachine
    var now: UInt64 = .seconds(1000)
    private(set) var fetches = 0
    private var keys: [TestKey] = []

    init(seed: UInt64 = 1, _ change: (inout Configuration.KeyPolicy) -> Void = { _ in }) {
        var policy = Configuration.KeyPolicy()
        change(&policy)
        machine = KeySetMachine(timing: KeySetTiming(policy), seed: seed)
    }

    /// A harness with a set that was fetched once.
    init(
        loaded keys: [TestKey], maxAge: UInt64 = 3600, seed: UInt64 = 1,
        _ change: (inout Configuration.KeyPolicy) -> Void = { _ in }
    ) throws {
        self.init(seed: seed, change)
        self.keys = keys
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

    /// Runs a refresh to which the source responds with these keys.
    @discardableResult
    mutating func refresh(_ keys: [TestKey], maxAge: UInt64 = 3600, junk: [String] = []) throws -> Outcome {
        send(.refreshRequested)
        return send(.fetched(try FetchedKeySet(keys, maxAge: maxAge, junk: junk)))
    }

    /// Completes the fetch with the keys of the first fetch.
    mutating func serve(maxAge: UInt64 = 3600) throws { send(.fetched(try FetchedKeySet(keys, maxAge: maxAge))) }

    /// Runs a refresh that fails.
    @discardableResult
    mutating func failRefresh(_ error: KeyFetchError = .down) -> Outcome {
        send(.refreshRequested)
        return send(.fetchFailed(error))
    }

    /// Advances the clock, then ticks.
    @discardableResult
    mutating func advance(seconds: Double) -> Outcome {
        now += .seconds(seconds)
        return send(.tick)
    }

    /// Advances the clock to the machine's next deadline, then ticks.
    @discardableResult
    mutating func advanceToDeadline() -> Outcome {
        now = machine.deadline ?? now
        return send(.tick)
    }

    /// The seconds until the next deadline.
    var secondsToDeadline: Double? {
        machine.deadline.map { Double($0 - now) / 1e9 }
    }

    func lookup(_ kid: String, waitingSince: UInt64? = nil) -> KeyLookup {
        view.lookup(kid: kid, now: now, waitingSince: waitingSince)
    }
}

/// The actions of a machine.
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
