import GatewayCore
package import Redis

/// A parser of the replies to `HMGET` for records.
///
/// An absent hash or field is an empty record. A key of another type or an invalid value makes the record faulty. Any
/// other reply throws `StoreFailure.refused`.
package enum RedisRecord {
    /// Parses the record of a user.
    ///
    /// - Parameter reply: The reply for the fields `StoredUser.redisFields`.
    static func user(_ reply: RedisReply) throws(StoreFailure) -> UserLookup {
        guard let fields = try Fields(reply, count: StoredUser.redisFields.count) else { return .faulty }
        return StoredUser(fields).word.user
    }

    /// Parses the record of a session.
    ///
    /// - Parameter reply: The reply for the fields `StoredSession.redisFields`.
    static func session(_ reply: RedisReply) throws(StoreFailure) -> SessionLookup {
        guard let fields = try Fields(reply, count: StoredSession.redisFields.count) else { return .faulty }
        return StoredSession(fields).word.session
    }

    /// The bytes of the fields. An absent field is `nil`.
    package struct Fields {
        private let reply: RedisReply

        /// `nil` if the key has another type.
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

/// The commands that read the records of a user, one session and a linked identity. They are formatted once for each
/// token.
package struct RecordCommands: Sendable {
    let user: RedisCommand
    /// `nil` if there is no session.
    let session: RedisCommand?
    /// `nil` if there is no link, or if the link has no record of its own.
    let link: RedisCommand?

    /// Formats the commands.
    ///
    /// - Parameter link: The linked identity.
    package init(_ user: UserKey, session: String?, link: IdentityLink? = nil) {
        self.user = Self.read(RedisKeys.user(user), StoredUser.redisFields)
        self.session = session.map { Self.read(RedisKeys.session(user, $0), StoredSession.redisFields) }
        self.link = link.map { Self.read(RedisKeys.user(UserKey($0)), StoredUser.redisFields) }
    }

    private static func read(_ key: [UInt8], _ fields: [String]) -> RedisCommand {
        RedisCommand(["HMGET", key] as [any RedisArgument] + fields)
    }
}

// MARK: - Field values

extension StoredField<UnixTime?> {
    /// Parses a time in seconds: decimal digits without sign, leading zeros, fraction or spaces. The value is `nil`
    /// if the field is absent. Any backend may have written the field, so any other text is faulty.
    package init(time bytes: UnsafeRawBufferPointer?) {
        guard let bytes else {
            self = .valid(nil)
            return
        }
        self = Self.seconds(bytes).map { .valid($0) } ?? .faulty
    }

    private static func seconds(_ digits: UnsafeRawBufferPointer) -> UnixTime? {
        // 10^11 has 12 digits, so 12 digits cannot overflow.
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
    /// Parses `0` or `1`. An absent field is `0`. Any other value is faulty.
    init(flag bytes: UnsafeRawBufferPointer?) {
        switch bytes.map({ ($0.count, $0.first) }) {
        case nil, (1, UInt8(ascii: "0"))?: self = .valid(false)
        case (1, UInt8(ascii: "1"))?: self = .valid(true)
        default: self = .faulty
        }
    }
}

extension StoredUser {
    /// The fields of a user's hash, in the order of the `HMGET` command.
    package static let redisFields = ["valid_since", "disabled"]

    /// Parses the fields of a user's hash. An absent field is `nil`.
    init(validSince: UnsafeRawBufferPointer?, disabled: UnsafeRawBufferPointer?) {
        self.init(validSince: .init(time: validSince), disabled: .init(flag: disabled))
    }
}

extension StoredSession {
    /// The fields of a session's hash, in the order of the `HMGET` command.
    package static let redisFields = ["revoked", "signed_in_at", "authenticated_at"]

    /// Parses the fields of a session's hash. An absent field is `nil`.
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
    /// Parses a time as `init(time:)` of bytes does.
    package init(time value: RedisValue) {
        switch value {
        case .null: self.init(time: nil as UnsafeRawBufferPointer?)
        case .string(let bytes): self = bytes.withUnsafeBytes { Self(time: $0) }
        default: self = .faulty
        }
    }
}

extension StoredField<Bool> {
    /// Parses a flag as `init(flag:)` of bytes does.
    package init(flag value: RedisValue) {
        switch value {
        case .null: self.init(flag: nil as UnsafeRawBufferPointer?)
        case .string(let bytes): self = bytes.withUnsafeBytes { Self(flag: $0) }
        default: self = .faulty
        }
    }
}
