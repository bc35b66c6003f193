import Synchronization

/// What a fake server says it is.
final class Role: Sendable {
    private let state = Mutex(true)

    var isMaster: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
