import Logging
import Observability

extension ProcessLog {
    /// A logger of a level by its configured name: standard output is the access log's.
    func logger(level: String) -> Logger { logger(level: Logger.Level(rawValue: level) ?? .info) }
}
