import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The writer of all workers' access logs, on one thread.
package final class AccessLogWriter: Sendable {
    /// The destination of lines.
    package enum Target: Sendable, Equatable {
        /// The process's standard output.
        case standardOutput
        /// A file, opened for appending.
        case file(path: String)
    }

    /// One slot per worker, in order.
    package let slots: [AccessLogSlot]
    /// The slot for the remaining lines at the end.
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

    /// The number of lines that were passed on and that the system failed to write.
    package var lostLines: UInt64 { writer.lostLines }

    /// Writes the waiting lines, then `remainders`, and ends the thread. Call it once, after the workers have stopped
    /// recording.
    ///
    /// - Returns: Whether everything was written. `false` if the reader accepts nothing for `limit`.
    @discardableResult
    package func close(remainders: [LogBatch] = [], within limit: Duration? = nil) async -> Bool {
        let bytes = remainders.flatMap(\.bytes)
        if !bytes.isEmpty { last.put(LogBatch(bytes: bytes, lines: remainders.reduce(0) { $0 + $1.lines })) }
        return await writer.close(within: limit ?? LogWriter.closingTime)
    }
}

/// An error in opening the access log.
package struct AccessLogError: Error, Equatable, CustomStringConvertible {
    /// The path of the file.
    package let path: String
    /// The reason stated by the system.
    package let reason: String

    /// The error and its remedy.
    package var description: String {
        "cannot open the access log \(path): \(reason); create its folder, or let this user write there"
    }
}
