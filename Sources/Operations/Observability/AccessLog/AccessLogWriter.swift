import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writes the access log of all workers on one thread.
package final class AccessLogWriter: Sendable {
    /// Where lines go.
    package enum Target: Sendable, Equatable {
        /// The process's standard output.
        case standardOutput
        /// A file, appended to.
        case file(path: String)
    }

    /// One slot for each worker, in their order.
    package let slots: [AccessLogSlot]
    /// What is left at the end.
    private let last: AccessLogSlot
    private let writer: LogWriter

    /// Opens the target and starts the thread, which runs until `close`.
    package init(target: Target, workers: Int) throws(AccessLogError) {
        let descriptor =
            switch target {
            case .standardOutput: STDOUT_FILENO
            case .file(let path): try LogDescriptor.open(path: path)
            }
        let wake = DispatchSemaphore(value: 0)
        slots = (0..<workers).map { _ in AccessLogSlot(wake: wake) }
        last = AccessLogSlot(wake: wake)
        writer = LogWriter(descriptor: descriptor, sources: slots + [last], wake: wake)
    }

    /// Lines that were handed over and that the system then refused to write.
    package var lostLines: UInt64 { writer.lostLines }

    /// Writes what was handed over, then `remainders`, and ends the thread. Call it once, when the workers have stopped recording.
    ///
    /// - Returns: Whether everything was written; not if the reader takes nothing for `limit`.
    @discardableResult
    package func close(remainders: [LogBatch] = [], within limit: Duration? = nil) async -> Bool {
        let bytes = remainders.flatMap(\.bytes)
        if !bytes.isEmpty { last.put(LogBatch(bytes: bytes, lines: remainders.reduce(0) { $0 + $1.lines })) }
        return await writer.close(within: limit ?? LogWriter.closingTime)
    }
}

/// The access log cannot be opened.
package struct AccessLogError: Error, Equatable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// The reason that the system gives.
    package let reason: String

    /// What happened and what to do.
    package var description: String {
        "cannot open the access log \(path): \(reason); create its folder, or let this user write there"
    }
}
