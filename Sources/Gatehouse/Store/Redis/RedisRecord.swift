import Redis

/// Reads what `HMGET` says of a record.
///
/// An absent hash or field is no record. A key of another type, or a value that is none of ours, makes the record faulty; any
/// other answer says that Redis could not tell.
enum RedisRecord {
    /// - Parameter reply: to the fields `StoredUser.redisFields`.
    static func user(_ reply: RedisReply) throws(StoreFailure) -> UserLookup {
        guard let (validSince, disabled) = try fields(reply) else { return .faulty }
        return StoredUser(validSince: validSince, disabled: disabled).word.user
    }

    /// - Parameter reply: to the fields `StoredSession.redisFields`.
    static func session(_ reply: RedisReply) throws(StoreFailure) -> SessionLookup {
        guard let (revoked, signedInAt) = try fields(reply) else { return .faulty }
        return StoredSession(revoked: revoked, signedInAt: signedInAt).word.session
    }

    /// The bytes of two fields, each nil where it is absent; nil where the key holds something else.
    static func fields(
        _ reply: RedisReply
    ) throws(StoreFailure) -> (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?)? {
        switch reply.kind {
        case .array where reply.count == 2: return (try field(reply[0]), try field(reply[1]))
        case .error where reply.serverError?.code == "WRONGTYPE": return nil
        default: throw .refused
        }
    }

    private static func field(_ reply: RedisReply) throws(StoreFailure) -> UnsafeRawBufferPointer? {
        switch reply.kind {
        case .null: nil
        case .string: reply.bytes
        default: throw .refused
        }
    }
}
