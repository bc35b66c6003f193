import Atomics

/// One open client connection in the ``ConnectionBudget``.
final class ConnectionSeat: Sendable {
    /// Since when it has been idle, in monotonic nanoseconds; 0: it is not, as far as is known.
    private let idle = ManagedAtomic<UInt64>(0)
    private let end: @Sendable () -> Void

    /// - Parameter end: asks the connection to end.
    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Noted by the connection's own loop at each tick, so that requests pay nothing for it.
    func note(idleSince time: UInt64?) {
        idle.store(time ?? 0, ordering: .relaxed)
    }

    var idleSince: UInt64? {
        let time = idle.load(ordering: .relaxed)
        return time == 0 ? nil : time
    }

    func makeRoom() { end() }
}
