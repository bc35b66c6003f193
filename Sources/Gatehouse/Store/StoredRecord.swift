/// One value of a record as it is stored, which may be anything: files and servers can be written by others.
enum StoredField<Value: Sendable & Equatable>: Sendable, Equatable {
    case valid(Value)
    case faulty

    var value: Value? {
        if case .valid(let value) = self { value } else { nil }
    }
}

/// A user's record as it is stored.
struct StoredUser: Equatable {
    var validSince: StoredField<UnixTime?> = .valid(nil)
    var disabled: StoredField<Bool> = .valid(false)

    /// Nil if it is faulty.
    var record: UserRecord? {
        guard let validSince = validSince.value, let disabled = disabled.value else { return nil }
        return UserRecord(validSince: validSince, disabled: disabled)
    }

    var word: RecordWord { record.map { RecordWord($0) } ?? .faulty }
}

/// A session's record as it is stored.
struct StoredSession: Equatable {
    var revoked: StoredField<Bool> = .valid(false)
    var signedInAt: StoredField<UnixTime?> = .valid(nil)
    var authenticatedAt: StoredField<UnixTime?> = .valid(nil)
    var expires: StoredField<UnixTime?> = .valid(nil)

    /// Nil if it is faulty.
    var record: SessionRecord? {
        guard let revoked = revoked.value, let signedInAt = signedInAt.value,
            let authenticatedAt = authenticatedAt.value, expires != .faulty
        else { return nil }
        // Another writer may move `signed_in_at` alone.
        return SessionRecord(
            revoked: revoked, signedInAt: signedInAt,
            isAuthenticated: signedInAt != nil && authenticatedAt == signedInAt)
    }

    var word: RecordWord { record.map { RecordWord($0) } ?? .faulty }

    /// When the record goes: the later of what is stored and what the caller knows; a caller who knows nothing changes
    /// nothing.
    func expiry(extendedTo new: UnixTime?) -> UnixTime? {
        let old = expires.value ?? nil
        guard let new else { return old }
        return max(old ?? new, new)
    }
}
