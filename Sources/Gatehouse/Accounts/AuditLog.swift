import Logging

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

    let logger: Logger
    let requestID: String

    func note(_ event: Event, of uid: String, provider: String, consent: Bool = false) {
        logger.notice(
            "account",
            metadata: [
                "event": "\(event.rawValue)", "uid": "\(uid)", "provider": "\(provider)", "consent": "\(consent)",
                "request": "\(requestID)",
            ])
    }
}
