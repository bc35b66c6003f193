package import Redis

/// Reads what `HMGET` says of a record.
///
/// An absent hash or field is no record. A key of another type, or a value that is none of ours, makes the record faulty; any
/// other answer says that Redis could not tell.
package enum RedisRecord {
    /// - Parameter reply: to the fields `StoredUser.redisFields`.
    static func user(_ reply: RedisReply) throws(StoreFailure) -> UserLookup {
        guard let fields = try Fields(reply, count: StoredUser.redisFields.count) else { return .faulty }
        return StoredUser(fields).word.user
    }

    /// - Parameter reply: to the fields `StoredSession.redisFields`.
    static func session(_ reply: RedisReply) throws(StoreFailure) -> SessionLookup {
        guard let fields = try Fields(reply, count: StoredSession.redisFields.count) else { return .faulty }
        return StoredSession(fields).word.session
    }

    /// The bytes of fields, each nil where it is absent.
    package struct Fields {
        private let reply: RedisReply

        /// Nil where the key holds something else.
        package init?(_ reply: RedisReply, count: Int) throws(StoreFailure) {
            switch reply.kind {
            case .array where reply.count == count: break
            case .error where reply.serverError?.code == "WRONGTYPE": return nil
            default: throw .refused
            }
            for index in 0..<count where reply[index].kind != .null && reply[index].kind != .string { throw .refused }
            self.reply = reply
        }

        subscript(_ index: Int) -> UnsafeRawBufferPointer? {
            let field = reply[index]
            return field.kind == .string ? field.bytes : nil
        }
    }
}

extension StoredUser {
    package init(_ fields: RedisRecord.Fields) {
        self.init(validSince: fields[0], disabled: fields[1])
    }
}

extension StoredSession {
    package init(_ fields: RedisRecord.Fields) {
        self.init(revoked: fields[0], signedInAt: fields[1], authenticatedAt: fields[2])
    }
}
