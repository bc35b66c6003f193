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
/// The sources bound how many lines wait. The thread has one batch at a time.
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
    ///   - pause: How often the sources are looked at without a signal; `nil`: never.
    init(descriptor: Int32, sources: [any LogSource], wake: DispatchSemaphore, pause: DispatchTimeInterval? = nil) {
        self.sources = sources
        self.wake = wake
        self.pause = pause
        thread.start()
        // The pool also runs this if it is shut down before it began: accepted lines are written in any case.
        thread.submit { [self] _ in run(LogDescriptor(descriptor: descriptor)) }
    }

    /// Lines that the system refused to write.
    var lostLines: UInt64 { lost.load(ordering: .relaxed) }

    /// Has the thread write what waits, and end. Call it once.
    ///
    /// - Returns: Whether everything was written in time. If not, the thread stays behind in a call of the system that does not
    ///   return, and ends with the process.
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

    /// A reader that went away costs its lines, not the process.
    private func ignoreClosedPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// Lines on their way to a `LogWriter`.
package struct LogBatch: Sendable {
    /// Whole lines, each with its line feed.
    package let bytes: [UInt8]
    /// How many lines they are.
    package let lines: Int
}

/// A place from which a `LogWriter` takes lines. Only the writer's thread calls it.
package protocol LogSource: Sendable {
    /// Takes out the lines that wait; `nil` if there are none.
    ///
    /// - Parameter isLast: Whether the writer ends after this call.
    func take(isLast: Bool) -> LogBatch?
}
