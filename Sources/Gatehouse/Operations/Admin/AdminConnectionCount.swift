internal import Atomics

/// How many connections the admin listener has, over all event loops.
final class AdminConnectionCount: Sendable {
    private let open = ManagedAtomic(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one more, and tells whether it may stay.
    func enter() -> Bool {
        open.wrappingIncrementThenLoad(ordering: .relaxed) <= limit
    }

    /// Counts one less, whether it stayed or not.
    func leave() {
        open.wrappingDecrement(ordering: .relaxed)
    }
}
