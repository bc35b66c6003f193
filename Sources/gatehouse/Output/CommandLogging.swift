import Logging

/// A logger on standard error: standard output is the access log's.
func makeLogger(level: String) -> Logger {
    var logger = Logger(label: "gatehouse") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = Logger.Level(rawValue: level) ?? .info
    return logger
}
