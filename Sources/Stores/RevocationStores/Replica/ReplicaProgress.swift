import Synchronization

/// How far a replica has come in the stream of changes, for those who wait until the view shows what they wrote.
///
/// A writer does not put its own result into the view: by the time it has the server's answer, the replica may have applied a later change of
/// another writer, which the older value would undo. It waits for the replica to pass its entry of the stream instead.
final class ReplicaProgress: Sendable {
    /// How many may wait at once; more do not wait at all.
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

    /// Told by the replica: everything up to the entry `id` is in the view; `.zero` for a stream without entries. The first call is for the first
    /// load. An id may be smaller than the last one, where the server is another.
    func reached(_ id: ReplicaStreamID) {
        let passed = state.withLock { state -> [Waiter] in
            state.reached = id
            let passed = state.waiters.filter { $0.value.id <= id }
            for number in passed.keys { state.waiters[number] = nil }
            return Array(passed.values)
        }
        for waiter in passed { waiter.end(true) }
    }

    /// Ends all waiting, now and later: nothing follows the stream any more.
    func close() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isClosed = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.end(false) }
    }

    /// Waits until the view shows everything up to the entry `id`, or `limit` has passed. `.zero` waits for the first load.
    ///
    /// - Returns: whether the view shows it.
    func wait(for id: ReplicaStreamID, atMost limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                if let reached = state.reached, id <= reached { return true }
                guard !state.isClosed, state.waiters.count < Self.maximumWaiting else { return false }
                let number = state.nextWaiter
                state.nextWaiter += 1
                let timeout = Task { [self] in
                    try? await Task.sleep(for: limit)
                    if !Task.isCancelled { giveUp(number) }
                }
                state.waiters[number] = Waiter(id: id, continuation: continuation, timeout: timeout)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func giveUp(_ number: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(returning: false)
    }
}
