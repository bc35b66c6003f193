package import GatewayCore
package import Revocation

/// What Identity Toolkit says of a Firebase account.
package struct AccountStatus: Sendable, Equatable {
    package enum Answer: Sendable, Equatable {
        /// `valid_since` in seconds since 1970; nil: no token was ever revoked.
        case account(validSince: UnixTime?, disabled: Bool)
        /// There is no such account: it was deleted.
        case missing
        /// It could not be asked.
        case unavailable
    }

    package var answer: Answer
    /// When it was asked, in monotonic nanoseconds.
    package var askedAt: UInt64

    package init(answer: Answer, askedAt: UInt64) {
        self.answer = answer
        self.askedAt = askedAt
    }
}

/// Asks Identity Toolkit about Firebase accounts, off the request path. Shared by the workers.
package protocol AccountLookingUp: Sendable {
    /// Tells what is known of an account, asked no earlier than `notBefore` (monotonic nanoseconds), once, from any thread, later or within
    /// the call.
    func look(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void)
}
