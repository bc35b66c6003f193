import Atomics

/// How many client connections the process has, and may have.
final class ConnectionBudget: Sendable {
    private let open = ManagedAtomic(0)
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place, if there is one.
    func take() -> Bool {
        guard open.wrappingIncrementThenLoad(ordering: .relaxed) <= limit else {
            open.wrappingDecrement(ordering: .relaxed)
            return false
        }
        return true
    }

    func giveBack() {
        open.wrappingDecrement(ordering: .relaxed)
    }
}
