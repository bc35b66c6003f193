import Atomics

/// How many client connections the process has, and may have.
final class ConnectionBudget: Sendable {
    private let open = ManagedAtomic(0)
    private let most: ManagedAtomic<Int>

    init(limit: Int) {
        most = ManagedAtomic(limit)
    }

    /// From now on; connections that are open stay, also those above it.
    func change(limit: Int) {
        most.store(limit, ordering: .relaxed)
    }

    /// Takes a place, if there is one.
    func take() -> Bool {
        guard open.wrappingIncrementThenLoad(ordering: .relaxed) <= most.load(ordering: .relaxed) else {
            open.wrappingDecrement(ordering: .relaxed)
            return false
        }
        return true
    }

    func giveBack() {
        open.wrappingDecrement(ordering: .relaxed)
    }
}
