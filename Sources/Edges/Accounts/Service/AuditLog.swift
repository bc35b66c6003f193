import Logging
import Revocation

/// Tells the operator of each change of whom an account belongs to. It names no address and no subject's token.
struct AuditLog: Sendable {
    enum Event: String, Sendable {
        case link
        case unlink
        /// An identity came to an account because both have the same verified address.
        case merge
        /// As `merge`, but nobody had vouched for the account's address before: whoever used it was put out.
        case takeover
    }

    private let logger: Logger
    private let requestID: String

    init(logger: Logger, requestID: String) {
        self.logger = logger
        self.requestID = requestID
    }

    func note(_ event: Event, of user: UserKey, provider: String, consent: Bool = false) {
        var metadata: Logger.Metadata = [
            "event": "\(event.rawValue)", "provider": "\(provider)", "consent": "\(consent)",
            "request": "\(requestID)",
        ]
        metadata.add(user)
        logger.notice("account", metadata: metadata)
    }
}

extension Logger.Metadata {
    /// Adds `uid`, and `tenant` where it is a part of the user's name.
    mutating func add(_ user: UserKey) {
        self["uid"] = "\(user.uid)"
        if let tenant = user.tenant { self["tenant"] = "\(tenant)" }
    }
}
