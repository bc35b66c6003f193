import GatewayCore
package import Logging

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
