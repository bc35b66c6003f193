internal import Atomics
internal import Dispatch
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The one thread that writes the access log of all workers, so that a slow disk or reader delays no request.
public final class AccessLogWriter: Sendable {
    /// Where lines go.
    public enum Target: Sendable, Equatable {
        /// The process's standard output.
        case standardOutput
        /// A file, appended to.
        case file(path: String)
    }

    /// One slot for each worker, in their order.
    public let slots: [AccessLogSlot]
    /// What is left at the end.
    private let last: AccessLogSlot
    private let wake: DispatchSemaphore
    private let stopping = ManagedAtomic(false)
    private let lost = ManagedAtomic<UInt64>(0)
    private let thread = NIOThreadPool(numberOfThreads: 1)
    /// Ends when everything is written. The pool's own end does not tell: what it had not begun runs elsewhere, and is not waited for.
    private let written: (end: AsyncStream<Never>, tell: AsyncStream<Never>.Continuation)

    /// Opens the target and starts the thread, which runs until `close`.
    public init(target: Target, workers: Int) throws(AccessLogError) {
        let descriptor =
            switch target {
            case .standardOutput: STDOUT_FILENO
            case .file(let path): try AccessLogFile.open(path: path)
            }
        let wake = DispatchSemaphore(value: 0)
        self.wake = wake
        let (end, tell) = AsyncStream.makeStream(of: Never.self)
        written = (end, tell)
        slots = (0..<workers).map { _ in AccessLogSlot(wake: wake) }
        last = AccessLogSlot(wake: wake)
        thread.start()
        // Also when the pool is shut down before it began: what was handed over is written in any case.
        thread.submit { [self] _ in run(AccessLogFile(descriptor: descriptor)) }
    }

    /// Lines that were handed over and that the system then refused to write.
    public var lostLines: UInt64 { lost.load(ordering: .relaxed) }

    /// Writes what was handed over, then `remainders`, and ends the thread. Call it once, when the workers have stopped recording.
    public func close(remainders: [AccessLogBatch] = []) async {
        let bytes = remainders.flatMap(\.bytes)
        if !bytes.isEmpty {
            last.put(AccessLogBatch(bytes: bytes, lines: remainders.reduce(0) { $0 + $1.lines }))
        }
        stopping.store(true, ordering: .releasing)
        wake.signal()
        // It fails only when it is called twice.
        try? await thread.shutdownGracefully()
        for await _ in written.end {}
    }

    private func run(_ file: consuming AccessLogFile) {
        defer { written.tell.finish() }
        ignoreClosedPipes()
        var isLastRound = false
        while !isLastRound {
            wake.wait()
            isLastRound = stopping.load(ordering: .acquiring)
            for slot in slots + [last] {
                guard let batch = slot.take(), !file.append(batch.bytes) else { continue }
                lost.wrappingIncrement(by: UInt64(batch.lines), ordering: .relaxed)
            }
        }
    }

    /// A reader of standard output that went away must cost its lines, not the process.
    private func ignoreClosedPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
