import Dispatch
package import GatewayCore
package import Logging
import PrintableText

/// The log of a process: all loggers share one bounded queue and one thread that writes to standard error.
///
/// No logger waits for the reader of the log. Values of fields and messages are escaped, so that no text that is logged forges a line or
/// a field, or drives a terminal.
package final class ProcessLog: Sendable {
    /// The numbers of the log's metrics.
    package struct Counts: Sendable, Equatable {
        /// Lines that found no room in the queue.
        package var dropped: UInt64 = 0
        /// Lines that the system refused to write.
        package var lost: UInt64 = 0
        /// Lines that repeated a message too often.
        package var suppressed: UInt64 = 0
    }

    /// The label of the gateway's loggers.
    package static let label = "gatehouse"

    let queue: LogQueue
    let clock: GatewayClock
    private let writer: LogWriter

    /// Starts the thread, which runs until `close`.
    package init(descriptor: Int32 = 2, clock: GatewayClock = .system) {
        let wake = DispatchSemaphore(value: 0)
        self.clock = clock
        queue = LogQueue(clock: clock, wake: wake)
        // Wakes without a line to report what was suppressed.
        writer = LogWriter(descriptor: descriptor, sources: [queue], wake: wake, pause: .seconds(1))
    }

    /// A logger that writes here.
    package func logger(level: Logger.Level) -> Logger {
        var logger = Logger(label: Self.label) { ProcessLogHandler(log: self, label: $0) }
        logger.logLevel = level
        return logger
    }

    /// A handler for loggers that libraries make.
    package func handler(label: String) -> any LogHandler { ProcessLogHandler(log: self, label: label) }

    /// Writes lines of the program itself, such as errors that end it, as they are but for unprintable characters.
    package func write(_ lines: String) {
        queue.append(PrintableText.escaped(lines, keepsLineFeeds: true) + "\n", isAudit: true)
    }

    /// What happened to lines that were not written.
    package var counts: Counts {
        let waiting = queue.counts
        return Counts(dropped: waiting.dropped, lost: writer.lostLines, suppressed: waiting.suppressed)
    }

    /// Writes what waits, for at most `limit`, and ends the thread. Call it once; later lines are not written.
    ///
    /// - Returns: Whether everything was written.
    @discardableResult
    package func close(within limit: Duration? = nil) async -> Bool {
        await writer.close(within: limit ?? LogWriter.closingTime)
    }
}
