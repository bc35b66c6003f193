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
        let line = LogLine(
            milliseconds: log.clock.milliseconds(), level: event.level, message: "\(event.message)", metadata: fields,
            module: event.source, label: label)
        log.queue.append(line.text(as: log.format), isAudit: isAudit)
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

/// A line of the process log. Members that the access log has too have the same names there.
struct LogLine {
    /// The maximum length of a value, in scalars.
    static let longestValue = 4096
    /// The names of members that metadata cannot replace.
    private static let reserved: Set<String> = ["time", "level", "msg", "logger", "module"]

    var milliseconds: Int64
    var level: Logger.Level
    var message: String
    var metadata = Logger.Metadata()
    var module = "Gatehouse"
    /// The label of the logger. Written unless it is the gateway's.
    var label = ProcessLog.label

    /// Returns the line with its line feed: `time`, `level` and `msg`, then the metadata by name, then the module. No
    /// text of a member changes the structure of the line.
    func text(as format: LogFormat) -> String {
        var members = [("time", time), ("level", "\(level)"), ("msg", Self.cut(message))]
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            members.append((Self.reserved.contains(key) ? "\(key)_" : key, Self.cut("\(value)")))
        }
        if label != ProcessLog.label { members.append(("logger", label)) }
        members.append(("module", module))
        switch format {
        case .text:
            let fields = members.map { "\(PrintableText.field($0))=\(PrintableText.field($1))" }
            return fields.joined(separator: " ") + "\n"
        case .json:
            let fields = members.map { "\(PrintableText.quoted($0)):\(PrintableText.quoted($1))" }
            return "{" + fields.joined(separator: ",") + "}\n"
        }
    }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: longestValue, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "..."
    }

    private var time: String {
        let (second, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = String(fraction.magnitude)
        return RFC3339.text(second, fraction: "." + String(repeating: "0", count: 3 - digits.count) + digits)
    }
}
