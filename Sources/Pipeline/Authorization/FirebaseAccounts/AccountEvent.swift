import Logging
import OutboundHTTP

/// What is worth a line in the log about lookups of accounts. No tokens, no uids.
enum AccountEvent: Sendable, Equatable {
    /// There is no access token, for a reason that was not told in the last minute.
    case noToken(AskingFailure)
    /// A lookup failed in a way that was not told in the last minute.
    case failing(AskingFailure)
    /// There was an answer again, after so many failures in a row.
    case recovered(failures: Int)
    /// A question found no place; told once a minute.
    case overflowing
}

extension AccountEvent {
    /// Writes the line.
    ///
    /// - Parameter source: who is asked, without what may be secret.
    func write(to logger: Logger, source: String) {
        var metadata: Logger.Metadata = ["source": "\(source)"]
        switch self {
        case .noToken(let failure):
            metadata.add(failure)
            logger.log(level: failure.level, "no access token to look up Firebase accounts", metadata: metadata)
        case .failing(let failure):
            metadata.add(failure)
            logger.log(level: failure.level, "Firebase accounts could not be looked up", metadata: metadata)
        case .recovered(let failures):
            metadata["failures"] = "\(failures)"
            logger.notice("Firebase accounts can be looked up again", metadata: metadata)
        case .overflowing:
            logger.warning("more Firebase accounts than can be looked up", metadata: metadata)
        }
    }
}

extension Logger.Metadata {
    fileprivate mutating func add(_ failure: AskingFailure) {
        self["reason"] = "\(failure.kind.rawValue)"
        self["detail"] = "\(failure.detail)"
    }
}

extension AskingFailure {
    /// What only configuration mends is an error.
    fileprivate var level: Logger.Level {
        kind == .ownCredentials || kind == .invalidURL ? .error : .warning
    }
}
