/// What Identity Toolkit says of a Firebase account.
struct AccountStatus: Sendable, Equatable {
    enum Answer: Sendable, Equatable {
        /// `valid_since` in seconds since 1970; nil: no token was ever revoked.
        case account(validSince: UnixTime?, disabled: Bool)
        /// There is no such account: it was deleted.
        case missing
        /// It could not be asked.
        case unavailable
    }

    var answer: Answer
    /// When it was asked, in monotonic nanoseconds.
    var askedAt: UInt64
}

/// Asks Identity Toolkit about Firebase accounts, off the request path. Shared by the workers.
protocol AccountLookingUp: Sendable {
    /// Tells what is known of an account, asked no earlier than `notBefore` (monotonic nanoseconds), once, from any thread, later or within
    /// the call.
    func look(_ user: UserKey, notBefore: UInt64, answer: @escaping @Sendable (AccountStatus) -> Void)
}
