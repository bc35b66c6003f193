import Dispatch

/// Runs a test on a new thread, so that it can block on sockets without delaying other tests.
final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "gatehouse.e2e")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `body` on a new thread when a permit is available.
    static func run(_ body: () async throws -> Void) async throws {
        await GatewayPermits.shared.acquire()
        let result: Result<Void, any Error>
        do {
            result = .success(try await withTaskExecutorPreference(OwnThread()) { try await body() })
        } catch {
            result = .failure(error)
        }
        await GatewayPermits.shared.release()
        try result.get()
    }
}

/// The permits of tests that run at the same time. More gateways would only slow each other down.
private actor GatewayPermits {
    static let shared = GatewayPermits(10)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func acquire() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func release() {
        guard !waiting.isEmpty else { return free += 1 }
        waiting.removeFirst().resume()
    }
}
