import Atomics
import Dispatch
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A thread that writes lines to one descriptor, so that a slow disk or reader delays no event loop.
///
/// The sources limit the number of waiting lines. The thread has one batch at a time.
final class LogWriter: Sendable {
    /// How long `close` waits for a reader that does not read.
    static let closingTime = Duration.seconds(3)

    private let sources: [any LogSource]
    private let wake: DispatchSemaphore
    private let pause: DispatchTimeInterval?
    private let isStopping = ManagedAtomic(false)
    private let lost = ManagedAtomic<UInt64>(0)
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let written = AsyncStream.makeStream(of: Never.self)

    /// Starts the thread, which runs until `close`.
    ///
    /// - Parameters:
    ///   - descriptor: Closed at the end unless it is a standard stream.
    ///   - wake: Signalled by the sources when they have lines.
    ///   - pause: The interval at which the sources are polled without a signal. `nil` to wait for signals only.
    init(descriptor: Int32, sources: [any LogSource], wake: DispatchSemaphore, pause: DispatchTimeInterval? = nil) {
        self.sources = sources
        self.wake = wake
        self.pause = pause
        thread.start()
        // The pool also runs this if it is shut down before the start, so that accepted lines are always written.
        thread.submit { [self] _ in run(LogDescriptor(descriptor: descriptor)) }
    }

    /// The number of lines that the system failed to write.
    var lostLines: UInt64 { lost.load(ordering: .relaxed) }

    /// Writes the waiting lines and ends the thread. Call it once.
    ///
    /// - Returns: Whether everything was written in time. If not, the thread remains in a blocking system call and ends
    ///   with the process.
    func close(within limit: Duration = closingTime) async -> Bool {
        isStopping.store(true, ordering: .releasing)
        wake.signal()
        thread.shutdownGracefully { _ in }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { [written] in
                for await _ in written.stream {}
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    private func run(_ output: consuming LogDescriptor) {
        defer { written.continuation.finish() }
        ignoreClosedPipes()
        var isLast = false
        while !isLast {
            if let pause { _ = wake.wait(timeout: .now() + pause) } else { wake.wait() }
            isLast = isStopping.load(ordering: .acquiring)
            for source in sources {
                guard let batch = source.take(isLast: isLast), !output.append(batch.bytes) else { continue }
                lost.wrappingIncrement(by: UInt64(batch.lines), ordering: .relaxed)
            }
        }
    }

    /// Blocks SIGPIPE, so that a closed reader loses lines but does not terminate the process.
    private func ignoreClosedPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// A batch of lines for a `LogWriter`.
package struct LogBatch: Sendable {
    /// Complete lines, each with its line feed.
    package let bytes: [UInt8]
    /// The number of lines.
    package let lines: Int
}

/// A source of lines for a `LogWriter`. Only the writer's thread calls it.
package protocol LogSource: Sendable {
    /// Removes and returns the waiting lines. `nil` if no line waits.
    ///
    /// - Parameter isLast: Whether the writer ends after this call.
    func take(isLast: Bool) -> LogBatch?
}
