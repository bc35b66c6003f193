internal import Synchronization

/// Holds answers back until a test opens it, so that no test has to sleep.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// A closed gate.
    public init() {}

    /// How many answers are held back.
    public var waiting: Int { state.withLock { $0.waiters.count } }

    /// Lets everything through, now and from now on.
    public func open() {
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
