import GatewayCore
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

/// The commands that read what Redis knows of a user, of one session and of a linked identity, formatted once for a token.
package struct RecordCommands: Sendable {
    let user: RedisCommand
    /// Nil: there is no session.
    let session: RedisCommand?
    /// Nil: there is no link, or its record is the user's.
    let link: RedisCommand?

    /// - Parameter link: the linked identity.
    package init(_ user: UserKey, session: String?, link: IdentityLink? = nil) {
        self.user = Self.read(RedisKeys.user(user), StoredUser.redisFields)
        self.session = session.map { Self.read(RedisKeys.session(user, $0), StoredSession.redisFields) }
        self.link = link.map { Self.read(RedisKeys.user(UserKey($0)), StoredUser.redisFields) }
    }

    private static func read(_ key: [UInt8], _ fields: [String]) -> RedisCommand {
        RedisCommand(["HMGET", key] as [any RedisArgument] + fields)
    }
}

// What the fields of a hash say. Any backend may have written them, so they are read strictly: a value that can be doubted is faulty.

extension StoredField<UnixTime?> {
    /// A time in seconds, in decimal without sign, zeros before it, fraction or space; nil: there is no such field.
    package init(time bytes: UnsafeRawBufferPointer?) {
        guard let bytes else {
            self = .valid(nil)
            return
        }
        self = Self.seconds(bytes).map { .valid($0) } ?? .faulty
    }

    private static func seconds(_ digits: UnsafeRawBufferPointer) -> UnixTime? {
        // 10^11 has 12 digits, so that nothing overflows.
        guard let first = digits.first, digits.count <= 12, first != UInt8(ascii: "0") || digits.count == 1 else {
            return nil
        }
        var seconds: Int64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            seconds = seconds &* 10 &+ Int64(digit &- UInt8(ascii: "0"))
        }
        return UnixTime(seconds)
    }
}

extension StoredField<Bool> {
    /// `0` or `1`; nil: there is no such field, which means `0`.
    init(flag bytes: UnsafeRawBufferPointer?) {
        switch bytes.map({ ($0.count, $0.first) }) {
        case nil, (1, UInt8(ascii: "0"))?: self = .valid(false)
        case (1, UInt8(ascii: "1"))?: self = .valid(true)
        default: self = .faulty
        }
    }
}

extension StoredUser {
    /// The fields of a user's hash, as `HMGET KEY valid_since disabled` tells them.
    package static let redisFields = ["valid_since", "disabled"]

    /// What the fields of a user's hash say; nil for a field that is not there.
    init(validSince: UnsafeRawBufferPointer?, disabled: UnsafeRawBufferPointer?) {
        self.init(validSince: .init(time: validSince), disabled: .init(flag: disabled))
    }
}

extension StoredSession {
    /// The fields of a session's hash, as `HMGET KEY revoked signed_in_at authenticated_at` tells them.
    package static let redisFields = ["revoked", "signed_in_at", "authenticated_at"]

    /// What the fields of a session's hash say; nil for a field that is not there.
    init(
        revoked: UnsafeRawBufferPointer?, signedInAt: UnsafeRawBufferPointer?,
        authenticatedAt: UnsafeRawBufferPointer? = nil
    ) {
        self.init(
            revoked: .init(flag: revoked), signedInAt: .init(time: signedInAt),
            authenticatedAt: .init(time: authenticatedAt))
    }
}

extension StoredField<UnixTime?> {
    /// A time as `init(time:)` of bytes reads it.
    package init(time value: RedisValue) {
        switch value {
        case .null: self.init(time: nil as UnsafeRawBufferPointer?)
        case .string(let bytes): self = bytes.withUnsafeBytes { Self(time: $0) }
        default: self = .faulty
        }
    }
}

extension StoredField<Bool> {
    /// A flag as `init(flag:)` of bytes reads it.
    package init(flag value: RedisValue) {
        switch value {
        case .null: self.init(flag: nil as UnsafeRawBufferPointer?)
        case .string(let bytes): self = bytes.withUnsafeBytes { Self(flag: $0) }
        default: self = .faulty
        }
    }
}
