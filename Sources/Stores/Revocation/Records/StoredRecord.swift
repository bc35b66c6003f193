package import GatewayCore

/// A stored value. It may be invalid, since other programs can write to files and servers.
package enum StoredField<Value: Sendable & Equatable>: Sendable, Equatable {
    case valid(Value)
    case faulty

    package var value: Value? {
        if case .valid(let value) = self { value } else { nil }
    }
}

/// The stored record of a user.
package struct StoredUser: Equatable {
    package var validSince: StoredField<UnixTime?> = .valid(nil)
    package var disabled: StoredField<Bool> = .valid(false)

    package init(validSince: StoredField<UnixTime?> = .valid(nil), disabled: StoredField<Bool> = .valid(false)) {
        self.validSince = validSince
        self.disabled = disabled
    }

    /// The record. `nil` if a field is faulty.
    package var record: UserRecord? {
        guard let validSince = validSince.value, let disabled = disabled.value else { return nil }
        return UserRecord(validSince: validSince, disabled: disabled)
    }

    package var word: RecordWord { record.map { RecordWord($0) } ?? .faulty }
}

/// The stored record of a session.
package struct StoredSession: Equatable {
    package var revoked: StoredField<Bool> = .valid(false)
    package var signedInAt: StoredField<UnixTime?> = .valid(nil)
    package var authenticatedAt: StoredField<UnixTime?> = .valid(nil)
    package var expires: StoredField<UnixTime?> = .valid(nil)

    package init(
        revoked: StoredField<Bool> = .valid(false), signedInAt: StoredField<UnixTime?> = .valid(nil),
        authenticatedAt: StoredField<UnixTime?> = .valid(nil), expires: StoredField<UnixTime?> = .valid(nil)
    ) {
        self.revoked = revoked
        self.signedInAt = signedInAt
        self.authenticatedAt = authenticatedAt
        self.expires = expires
    }

    /// The record. `nil` if a field is faulty.
    package var record: SessionRecord? {
        guard let revoked = revoked.value, let signedInAt = signedInAt.value,
            let authenticatedAt = authenticatedAt.value, expires != .faulty
        else { return nil }
        // Another writer may change only `signed_in_at`.
        return SessionRecord(
            revoked: revoked, signedInAt: signedInAt,
            isAuthenticated: signedInAt != nil && authenticatedAt == signedInAt)
    }

    package var word: RecordWord { record.map { RecordWord($0) } ?? .faulty }

    /// Returns the expiry of the record: the later of the stored one and `new`. If `new` is `nil`, the stored one.
    package func expiry(extendedTo new: UnixTime?) -> UnixTime? {
        let old = expires.value ?? nil
        guard let new else { return old }
        return max(old ?? new, new)
    }
}
