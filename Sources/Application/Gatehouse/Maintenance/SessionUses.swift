import Revocation
import Synchronization

/// The sessions that were used since their use was last recorded in the store, of all workers of the process.
///
/// Bounded: if the store is slower than the sessions, further uses are dropped, and the lists of sessions show an
/// earlier one.
final class SessionUses: Sendable {
    /// The maximum number of waiting uses.
    static let limit = 4_096

    private let waiting = Mutex<Set<SessionUse>>([])

    func add(_ use: SessionUse) {
        waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return }
            waiting.insert(use)
        }
    }

    /// Removes and returns some of the uses, at most as many as the store records at once.
    func take() -> [SessionUse] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            let taken = Array(waiting.prefix(StoreBounds.maximumRecordedUses))
            waiting.subtract(taken)
            return taken
        }
    }
}
