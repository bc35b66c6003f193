import Dispatch
package import GatewayCore
package import Logging
import PrintableText

/// The format of the process log.
package enum LogFormat: String, Sendable {
    /// logfmt: `NAME=VALUE` fields, separated by spaces. A value that contains a separator is a JSON string.
    case text
    /// One JSON object per line, whose values are strings.
    case json
}

/// The log of a process. All loggers share one bounded queue and one thread that writes to standard error.
///
/// No logger waits for the reader of the log. Messages and field values are escaped, so that logged text cannot forge a
/// line or a field, or control a terminal.
package final class ProcessLog: Sendable {
    /// The metrics of the log.
    package struct Counts: Sendable, Equatable {
        /// Lines that were dropped because the queue was full.
        package var dropped: UInt64 = 0
        /// Lines that the system failed to write.
        package var lost: UInt64 = 0
        /// Lines that were suppressed because a message was repeated too often.
        package var suppressed: UInt64 = 0
    }

    /// The label of the gateway's loggers.
    package static let label = "gatehouse"

    let queue: LogQueue
    let clock: GatewayClock
    let format: LogFormat
    private let writer: LogWriter

    /// Starts the thread, which runs until `close`.
    package init(descriptor: Int32 = 2, format: LogFormat = .text, clock: GatewayClock = .system) {
        let wake = DispatchSemaphore(value: 0)
        self.clock = clock
        self.format = format
        queue = LogQueue(format: format, clock: clock, wake: wake)
        // Wakes periodically to report suppressed lines.
        writer = LogWriter(descriptor: descriptor, sources: [queue], wake: wake, pause: .seconds(1))
    }

    /// Returns a logger that writes to this log.
    package func logger(level: Logger.Level) -> Logger {
        var logger = Logger(label: Self.label) { ProcessLogHandler(log: self, label: $0) }
        logger.logLevel = level
        return logger
    }

    /// Returns a handler for loggers of libraries.
    package func handler(label: String) -> any LogHandler { ProcessLogHandler(log: self, label: label) }

    /// Writes the error that ends the program. In the format `text` its lines are unchanged, except for unprintable
    /// characters. In the format `json` each line is the message of an object.
    package func write(_ error: String) {
        let lines =
            switch format {
            case .text: PrintableText.escaped(error, keepsLineFeeds: true) + "\n"
            case .json:
                error.split(separator: "\n").map { line in
                    LogLine(milliseconds: clock.milliseconds(), level: .critical, message: String(line))
                        .text(as: format)
                }.joined()
            }
        queue.append(lines, isAudit: true)
    }

    /// The numbers of lines that were not written.
    package var counts: Counts {
        let waiting = queue.counts
        return Counts(dropped: waiting.dropped, lost: writer.lostLines, suppressed: waiting.suppressed)
    }

    /// Writes the waiting lines for at most `limit`, and ends the thread. Call it once; later lines are not written.
    ///
    /// - Returns: Whether everything was written.
    @discardableResult
    package func close(within limit: Duration? = nil) async -> Bool {
        await writer.close(within: limit ?? LogWriter.closingTime)
    }
}
