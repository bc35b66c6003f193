/// What the store knows of a user.
public struct UserRecord: Sendable, Equatable {
    /// Tokens whose `auth_time` is earlier, in seconds since 1970, are revoked; nil where nothing was revoked.
    public var validSince: Int64?
    /// Whether the user may not pass at all.
    public var disabled: Bool

    /// A record; without arguments, that of a user of whom nothing is known.
    public init(validSince: Int64? = nil, disabled: Bool = false) {
        self.validSince = validSince
        self.disabled = disabled
    }
}

/// What the store knows of one session of a user.
public struct SessionRecord: Sendable, Equatable {
    /// Whether the session was ended.
    public var revoked: Bool
    /// The latest recorded proof of who the user is, in seconds since 1970; nil where none was recorded.
    public var signedInAt: Int64?

    /// A record; without arguments, that of a session of which nothing is known.
    public init(revoked: Bool = false, signedInAt: Int64? = nil) {
        self.revoked = revoked
        self.signedInAt = signedInAt
    }
}

/// What the view answers for a user.
public enum UserLookup: Sendable, Equatable {
    /// Nothing is known of the user. Not an error.
    case none
    /// The user's record; `validSince` is nil for one that is only disabled.
    case record(validSince: Int64?, disabled: Bool)
    /// The user's record is invalid: no decision can be made from it.
    case faulty
}

/// What the view answers for a session.
public enum SessionLookup: Sendable, Equatable {
    /// Nothing is known of the session. Not an error.
    case none
    /// The session's record.
    case record(revoked: Bool, signedInAt: Int64?)
    /// The session's record is invalid: no decision can be made from it.
    case faulty
}
