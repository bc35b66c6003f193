import Synchronization

/// A replica's status, to be read from any thread.
final class ReplicaBoard: Sendable {
    private let box = Mutex(ReplicaStatus())

    var status: ReplicaStatus { box.withLock { $0 } }

    func show(_ status: ReplicaStatus) {
        box.withLock { $0 = status }
    }
}
