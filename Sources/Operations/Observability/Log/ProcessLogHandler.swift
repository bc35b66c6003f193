import CivilCalendar
import GatewayCore
package import Logging
import PrintableText

/// A logger's way into the process log.
struct ProcessLogHandler: LogHandler {
    let log: ProcessLog
    let label: String
    /// Whether its lines are never suppressed and have a reserved part of the queue.
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

    /// Levels below `info` are for an operator who wants every line.
    private func isAdmitted(_ event: LogEvent) -> Bool {
        guard !isAudit, event.level >= .info else { return true }
        return log.queue.admits(LogThrottle.Kind(level: event.level, message: "\(event.message)"))
    }
}

extension Logger {
    /// The same logger for lines that must not be lost to the repetition of others.
    package var forAudit: Logger {
        guard var handler = handler as? ProcessLogHandler else { return self }
        handler.isAudit = true
        var logger = self
        logger.handler = handler
        return logger
    }

    /// What happened to lines of the process log that were not written; `nil` if the logger writes elsewhere.
    package var processLogCounts: ProcessLog.Counts? { (handler as? ProcessLogHandler)?.log.counts }
}

/// The form of a line of the process log: `TIME LEVEL LABEL: KEY=VALUE ... [SOURCE] MESSAGE`, whatever is in its parts.
enum LogLine {
    /// The longest value of a field, in scalars.
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
