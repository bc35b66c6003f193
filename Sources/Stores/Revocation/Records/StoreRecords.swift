package import GatewayCore

/// The record of a user.
package struct UserRecord: Sendable, Equatable {
    /// Tokens with an earlier `auth_time` are revoked. `nil` if there is no revocation.
    package var validSince: UnixTime?
    /// Whether all requests of the user are denied.
    package var disabled: Bool
    /// The time of the revocation, if `validSince` is later because it covers a session that began later by another
    /// gateway's clock. `nil` if it equals `validSince`. Credentials are compared with this time, sessions with
    /// `validSince`.
    package var revokedAt: UnixTime?
    /// Whether the change that returned this record is written back to Identity Toolkit. `off` for a record that was
    /// read.
    package var writeBack = WriteBackOutcome.off
    /// Whether it is written back to the Realtime Database.
    package var databaseWriteBack = WriteBackOutcome.off

    /// Creates a record; without arguments, an empty one.
    package init(validSince: UnixTime? = nil, disabled: Bool = false, revokedAt: UnixTime? = nil) {
        self.validSince = validSince
        self.disabled = disabled
        self.revokedAt = revokedAt
    }

    /// Credentials that were issued before this time are revoked. `nil` if there is no revocation.
    package var credentialsSince: UnixTime? { validSince.map { min($0, revokedAt ?? $0) } }

    /// Returns whether the user was disabled or revoked since an earlier record. The end of sessions alone is neither:
    /// other credentials stay valid.
    package func isRevoked(since earlier: UserRecord) -> Bool {
        disabled || (credentialsSince ?? 0) != (earlier.credentialsSince ?? 0)
    }
}

/// The sessions that a revocation ends, in addition to credentials that were issued before its time.
package enum RevocationScope: Sendable {
    /// No others: sessions that began after the time continue.
    case before
    /// All sessions that the store has begun, regardless of the gateways' clocks.
    case everything
}

/// A session that the store began.
package struct SessionStart: Sendable, Equatable {
    /// The start of the session, later than all revocations of the record.
    package var started: UnixTime
    /// The record in which the session began.
    package var record: UserRecord

    /// Creates a session start.
    package init(started: UnixTime, record: UserRecord) {
        self.started = started
        self.record = record
    }
}

/// The record of one session of a user.
package struct SessionRecord: Sendable, Equatable {
    /// Whether the session was revoked.
    package var revoked: Bool
    /// The time of the latest recorded proof of the user's identity. `nil` if none was recorded.
    package var signedInAt: UnixTime?
    /// Whether that proof was an authentication: the provider reported that the user presented credentials at that
    /// time.
    package var isAuthenticated: Bool

    /// Creates a record; without arguments, an empty one.
    package init(revoked: Bool = false, signedInAt: UnixTime? = nil, isAuthenticated: Bool = false) {
        self.revoked = revoked
        self.signedInAt = signedInAt
        self.isAuthenticated = isAuthenticated
    }
}

/// The result of looking up a user in the view.
package enum UserLookup: Sendable, Equatable {
    /// There is no record. Not an error.
    case none
    /// The user's record. `validSince` is `nil` if there is no revocation.
    case record(validSince: UnixTime?, disabled: Bool)
    /// The user's record is invalid, so no decision can be based on it.
    case faulty
}

/// The result of looking up a session in the view.
package enum SessionLookup: Sendable, Equatable {
    /// There is no record. Not an error.
    case none
    /// The session's record.
    case record(revoked: Bool, signedInAt: UnixTime?, isAuthenticated: Bool = false)
    /// The session's record is invalid, so no decision can be based on it.
    case faulty
}
