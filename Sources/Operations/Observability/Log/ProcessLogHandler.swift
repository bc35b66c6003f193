import CivilCalendar
import GatewayCore
package import Logging
import PrintableText

/// The log handler of the process log.
struct ProcessLogHandler: LogHandler {
    let log: ProcessLog
    let label: String
    /// Whether its lines are never suppressed and use the reserved part of the queue.
    var isAudit = false
    var logLevel = Logger.Level.info
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard isAdmitted(event) else { return }
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let own = event.metadata { fields.merge(own) { $1 } }
        if let error = event.error { fields["error"] = "\(error)" }
        let line = LogLine.text(
            milliseconds: log.clock.milliseconds(), level: event.level, label: label, metadata: fields,
            source: event.source, message: "\(event.message)")
        log.queue.append(line, isAudit: isAudit)
    }

    /// Levels below `info` are not throttled, because operators enable them to see every line.
    private func isAdmitted(_ event: LogEvent) -> Bool {
        guard !isAudit, event.level >= .info else { return true }
        return log.queue.admits(LogThrottle.Kind(level: event.level, message: "\(event.message)"))
    }
}

extension Logger {
    /// The same logger for audit lines, which are never suppressed.
    package var forAudit: Logger {
        guard var handler = handler as? ProcessLogHandler else { return self }
        handler.isAudit = true
        var logger = self
        logger.handler = handler
        return logger
    }

    /// The numbers of process log lines that were not written. `nil` if the logger does not write to a process log.
    package var processLogCounts: ProcessLog.Counts? { (handler as? ProcessLogHandler)?.log.counts }
}

/// The format of a process log line: `TIME LEVEL LABEL: KEY=VALUE ... [SOURCE] MESSAGE`, whatever its parts contain.
enum LogLine {
    /// The maximum length of a field value, in scalars.
    static let longestValue = 4096

    static func text(
        milliseconds: Int64, level: Logger.Level, label: String, metadata: Logger.Metadata, source: String,
        message: String
    ) -> String {
        var line = "\(time(milliseconds)) \(level) \(PrintableText.escaped(label)):"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(PrintableText.field(key))=\(PrintableText.field(cut("\(value)")))"
        }
        return line + " [\(PrintableText.escaped(source))] \(PrintableText.escaped(cut(message)))\n"
    }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: longestValue, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "..."
    }

    private static func time(_ milliseconds: Int64) -> String {
        let (second, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = String(fraction.magnitude)
        return RFC3339.text(second, fraction: "." + String(repeating: "0", count: 3 - digits.count) + digits)
    }
}
