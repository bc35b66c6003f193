import Logging
import OutboundHTTP

/// What is worth a line in the log about asking one provider. No tokens, no secrets.
enum OpaqueEvent: Sendable, Equatable {
    /// A call failed in a way that was not told in the last minute.
    case failing(AskingFailure)
    /// A call had an answer again, after so many failures in a row.
    case recovered(failures: Int)
    /// A question found no place; told once a minute.
    case overflowing
}

extension OpaqueEvent {
    /// Writes the line.
    ///
    /// - Parameter source: who is asked, without what may be secret.
    func write(to logger: Logger, provider: String, source: String) {
        var metadata: Logger.Metadata = ["provider": "\(provider)", "source": "\(source)"]
        switch self {
        case .failing(let failure):
            metadata["reason"] = "\(failure.kind.rawValue)"
            metadata["detail"] = "\(failure.detail)"
            let isOurs = failure.kind == .ownCredentials || failure.kind == .invalidURL
            logger.log(
                level: isOurs ? .error : .warning,
                isOurs
                    ? "opaque tokens cannot be checked: the provider's configuration does not fit"
                    : "an opaque token could not be checked",
                metadata: metadata)
        case .recovered(let failures):
            metadata["failures"] = "\(failures)"
            logger.notice("opaque tokens can be checked again", metadata: metadata)
        case .overflowing:
            logger.warning("more opaque tokens than can be checked", metadata: metadata)
        }
    }
}
