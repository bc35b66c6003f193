import Synchronization

/// The position of a replica in the change stream, for writers that wait until the view contains their write.
///
/// A writer does not update the view at once. When it receives the reply, the replica may already have applied a later
/// change of another writer, which the older value would undo. So it waits until the replica passes its stream entry.
final class ReplicaProgress: Sendable {
    /// The maximum number of waiting writers. Further writers do not wait.
    static let maximumWaiting = 10_000

    private struct Waiter {
        let id: ReplicaStreamID
        let continuation: CheckedContinuation<Bool, Never>
        let timeout: Task<Void, Never>

        func end(_ isReached: Bool) {
            timeout.cancel()
            continuation.resume(returning: isReached)
        }
    }

    private struct State {
        var reached: ReplicaStreamID?
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Records that the view contains everything up to `id`; `.zero` for a stream without entries. The first call
    /// reports the first load. After a change of servers, an id may be smaller than the last one. `nil` without a
    /// connection to a server.
    func reached(_ id: ReplicaStreamID?) {
        guard let id else { return state.withLock { $0.reached = nil } }
        let passed = state.withLock { state -> [Waiter] in
            state.reached = id
            let passed = state.waiters.filter { $0.value.id <= id }
            for number in passed.keys { state.waiters[number] = nil }
            return Array(passed.values)
        }
        for waiter in passed { waiter.end(true) }
    }

    /// Ends all current and future waits, since the stream is no longer followed.
    func close() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isClosed = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.end(false) }
    }

    /// Waits until the view contains everything up to `id`, or `limit` has passed. `.zero` waits for the first load.
    ///
    /// - Returns: Whether the view contains the entry.
    func wait(for id: ReplicaStreamID, atMost limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Bool? in
                if let reached = state.reached, id <= reached { return true }
                guard !state.isClosed, state.waiters.count < Self.maximumWaiting else { return false }
                let number = state.nextWaiter
                state.nextWaiter += 1
                let timeout = Task { [self] in
                    try? await Task.sleep(for: limit)
                    if !Task.isCancelled { expire(number) }
                }
                state.waiters[number] = Waiter(id: id, continuation: continuation, timeout: timeout)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    private func expire(_ number: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(returning: false)
    }
}
