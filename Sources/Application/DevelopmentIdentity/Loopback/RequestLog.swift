internal import Synchronization

/// The requests that a server received: their counts, and the most recent ones.
package final class RequestLog: Sendable {
    private struct Waiter {
        let path: String?
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var total = 0
        var byPath: [String: Int] = [:]
        var latest: [ReceivedRequest] = []
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0

        func count(_ path: String?) -> Int { path.map { byPath[$0] ?? 0 } ?? total }

        mutating func takeSatisfiedWaiters() -> [Waiter] {
            let ready = waiters.filter { count($0.value.path) >= $0.value.count }
            for id in ready.keys { waiters[id] = nil }
            return Array(ready.values)
        }
    }

    /// The maximum number of paths with separate counts. Requests for further paths count only in the total.
    private static let mostPaths = 4096

    /// The maximum number of requests that are kept.
    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the number of all requests, or of those for one path.
    func count(_ path: String? = nil) -> Int { state.withLock { $0.count(path) } }

    /// The recent requests, oldest first.
    var latest: [ReceivedRequest] { state.withLock { $0.latest } }

    /// Records a request.
    ///
    /// - Parameter name: The name to count it under. Default: its path.
    package func record(_ request: ReceivedRequest, as name: String? = nil) {
        let path = name ?? request.path
        let ready = state.withLock { state in
            state.total += 1
            if state.byPath[path] != nil || state.byPath.count < Self.mostPaths { state.byPath[path, default: 0] += 1 }
            if state.latest.count >= capacity { state.latest.removeFirst(state.latest.count - capacity + 1) }
            state.latest.append(request)
            return state.takeSatisfiedWaiters()
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until `count` requests were recorded, or the task is cancelled.
    package func wait(for count: Int, path: String? = nil) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(Waiter(path: path, count: count, continuation: continuation), id)
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    private func add(_ waiter: Waiter, _ id: Int) {
        let isReady = state.withLock { state in
            let isReady = Task.isCancelled || state.count(waiter.path) >= waiter.count
            if !isReady { state.waiters[id] = waiter }
            return isReady
        }
        if isReady { waiter.continuation.resume() }
    }
}
