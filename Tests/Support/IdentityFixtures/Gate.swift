internal import Synchronization

/// Holds responses back until a test opens it, so that no test has to sleep.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// A closed gate.
    package init() {}

    /// How many responses are held back.
    package var waiting: Int { state.withLock { $0.waiters.count } }

    /// Lets everything through, now and from now on.
    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Calls `body` once, as soon as the gate is open.
    func whenOpen(_ body: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(body) }
            return state.isOpen
        }
        if isOpen { body() }
    }
}
