import DevelopmentIdentity
import Dispatch
import Foundation

/// Runs a test on a new thread, so that it can block on sockets without delaying other tests.
final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "gatehouse.e2e")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// The keys of the providers, before the first test: on a busy machine their creation takes seconds, in which the
    /// event loops of all tests would stand still.
    private static let keys = Result { try IdentityKeys.createShared() }

    /// Whether this task has a permit. The tests of a suite with a shared scenario have the suite's: a second one would
    /// never be free while each permit belonged to a suite that waits for one.
    @TaskLocal private static var hasPermit = false

    /// Runs `body` on a new thread, when a permit is available or the task has one.
    static func run(_ body: () async throws -> Void) async throws {
        try keys.get()
        if hasPermit { return try await withTaskExecutorPreference(OwnThread(), operation: body) }
        await GatewayPermits.shared.acquire()
        let result: Result<Void, any Error>
        do {
            try await $hasPermit.withValue(true) {
                try await withTaskExecutorPreference(OwnThread(), operation: body)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await GatewayPermits.shared.release()
        try result.get()
    }
}

/// Limits how many tests run at the same time, so that a gateway and its peers respond well within their timeouts: to
/// ten, and to three while more threads are ready to run than the processors can serve soon.
private actor GatewayPermits {
    static let shared = GatewayPermits()

    private let bounds = (least: 3, most: 10)
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// A moving average of the number of threads of the machine that run or are ready to run.
    private var ready = 0.0
    private var isWatching = false

    func acquire() async {
        if waiting.isEmpty, running < bounds.least { return running += 1 }
        watch()
        await withCheckedContinuation { waiting.append($0) }
    }

    func release() {
        running -= 1
        admit()
    }

    private func admit() {
        let hasRoom = running < bounds.most && ready < Double(3 * ProcessInfo.processInfo.activeProcessorCount)
        guard !waiting.isEmpty, running < bounds.least || hasRoom else { return }
        running += 1
        waiting.removeFirst().resume()
    }

    /// Admits one more test at a time while tests wait.
    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        Task {
            while !waiting.isEmpty {
                try? await Task.sleep(for: .milliseconds(50))
                ready = 0.8 * ready + 0.2 * Double(Self.readyThreads)
                admit()
            }
            isWatching = false
        }
    }

    /// The number of threads that run or are ready to run. 0 if the system does not say.
    private static var readyThreads: Int {
        // "0.20 0.18 0.12 3/80 11206": 3 of 80.
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").dropFirst(3).first?.split(separator: "/").first.flatMap { Int($0) } ?? 0
    }
}
