import GatewayCore
import Synchronization

/// A monotonic clock that the test advances, and a sleep that uses it.
final class KeyTestTime: Sendable {
    private struct Sleeper {
        let deadline: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: UInt64 = .seconds(1000)
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    var now: UInt64 { state.withLock { $0.now } }
    /// The number of sleeping tasks.
    var sleeping: Int { state.withLock { $0.sleepers.count } }
    var clock: GatewayClock { GatewayClock(now: { 1_700_000_000 }, monotonic: { self.now }) }

    /// Advances the clock and wakes the tasks whose deadline has passed.
    func advance(seconds: Double) {
        let woken = state.withLock { state in
            state.now += .seconds(seconds)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns when the clock has reached `deadline`.
    func sleep(until deadline: UInt64) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.cancelled.remove(id) != nil {
                        return Result<Void, any Error>?(.failure(CancellationError()))
                    }
                    if state.now >= deadline { return .success(()) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return nil
                }
                if let isOver { continuation.resume(with: isOver) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}

extension UInt64 {
    /// Returns seconds in nanoseconds.
    static func seconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1_000_000_000) }
}

/// A monotonic clock and a Unix clock that the test advances together.
final class ManualClock: Sendable {
    private let elapsed = Mutex<UInt64>(0)
    /// The seconds by which the wall clock, but not the monotonic one, was set back.
    private let lag = Mutex<Int64>(0)

    /// The Unix time at the start.
    static let start: Int64 = 1_700_000_000

    var now: Int64 { Self.start + Int64(elapsed.withLock { $0 } / 1_000_000_000) - lag.withLock { $0 } }
    var monotonic: UInt64 { 1_000_000_000_000 + elapsed.withLock { $0 } }
    var clock: GatewayClock { GatewayClock(now: { self.now }, monotonic: { self.monotonic }) }

    func advance(seconds: Double) { elapsed.withLock { $0 += UInt64(seconds * 1_000_000_000) } }
    func setBack(seconds: Int64) { lag.withLock { $0 += seconds } }
}
