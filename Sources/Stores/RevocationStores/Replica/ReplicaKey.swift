import Revocation

/// The name of a hash that holds a user's or a session's record, spelled as `RedisKeys` spells it.
struct ReplicaKey: Sendable, Hashable {
    let bytes: [UInt8]
    let isSession: Bool

    /// A key that Redis told; nil for one that is not of a record, or is spelled otherwise than we spell it: who asks
    /// for that name does not find it, so it is nobody's.
    ///
    /// - Parameter names: memory to work in.
    init?(told key: UnsafeRawBufferPointer, names: inout [UInt8]) {
        guard let kind = RedisRecordKey(parsing: key, names: &names) else { return nil }
        bytes = Array(key)
        isSession = kind != .user
    }

    /// The key of a user's record.
    init(_ user: UserKey) {
        bytes = RedisKeys.user(user)
        isSession = false
    }

    /// The key of a session's record; nil for a name that no session can have.
    init?(_ user: UserKey, session: [UInt8]) {
        guard let session = String(validating: session, as: UTF8.self),
            (try? StoreBounds.check(session: session)) != nil
        else { return nil }
        bytes = RedisKeys.session(user, session)
        isSession = true
    }
}

extension ReplicaKey: CustomStringConvertible {
    /// The key as text, for logs.
    var description: String { String(decoding: bytes, as: UTF8.self) }
}
