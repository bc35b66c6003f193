package import GatewayCore

/// What the store knows of a user.
package struct UserRecord: Sendable, Equatable {
    /// Tokens whose `auth_time` is earlier are revoked; nil where nothing was revoked.
    package var validSince: UnixTime?
    /// Whether the user may not pass at all.
    package var disabled: Bool
    /// The time at which the revocation was made, where `validSince` is later because it also covers a session that began later by the clock of
    /// another gateway; nil: `validSince`. Credentials are compared with this time, sessions with `validSince`.
    package var revokedAt: UnixTime?

    /// A record; without arguments, that of a user of whom nothing is known.
    package init(validSince: UnixTime? = nil, disabled: Bool = false, revokedAt: UnixTime? = nil) {
        self.validSince = validSince
        self.disabled = disabled
        self.revokedAt = revokedAt
    }

    /// A credential that was made before this time is revoked.
    package var credentialsSince: UnixTime? { validSince.map { min($0, revokedAt ?? $0) } }
}

/// What a revocation ends besides credentials that were made before its time.
package enum RevocationScope: Sendable {
    /// Nothing else: sessions that began after that time go on.
    case before
    /// Every session that the store began so far, whatever the clocks of the gateways say.
    case everything
}

/// A session that the store began.
package struct SessionStart: Sendable, Equatable {
    /// When the session began: later than every revocation that the record held.
    package var started: UnixTime
    /// The record in which the session began.
    package var record: UserRecord

    /// A start in a record.
    package init(started: UnixTime, record: UserRecord) {
        self.started = started
        self.record = record
    }
}

/// What the store knows of one session of a user.
package struct SessionRecord: Sendable, Equatable {
    /// Whether the session was ended.
    package var revoked: Bool
    /// The latest recorded proof of who the user is; nil where none was recorded.
    package var signedInAt: UnixTime?
    /// Whether that proof was an authentication: the provider said that the user presented credentials then.
    package var isAuthenticated: Bool

    /// A record; without arguments, that of a session of which nothing is known.
    package init(revoked: Bool = false, signedInAt: UnixTime? = nil, isAuthenticated: Bool = false) {
        self.revoked = revoked
        self.signedInAt = signedInAt
        self.isAuthenticated = isAuthenticated
    }
}

/// What the view answers for a user.
package enum UserLookup: Sendable, Equatable {
    /// Nothing is known of the user. Not an error.
    case none
    /// The user's record; `validSince` is nil for one that is only disabled.
    case record(validSince: UnixTime?, disabled: Bool)
    /// The user's record is invalid: no decision can be made from it.
    case faulty
}

/// What the view answers for a session.
package enum SessionLookup: Sendable, Equatable {
    /// Nothing is known of the session. Not an error.
    case none
    /// The session's record.
    case record(revoked: Bool, signedInAt: UnixTime?, isAuthenticated: Bool = false)
    /// The session's record is invalid: no decision can be made from it.
    case faulty
}
