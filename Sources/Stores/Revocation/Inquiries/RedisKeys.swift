package import JOSE
import TextCoding

/// The names of keys in Redis. They are a public contract, since other backends also write records.
///
/// Names in keys are encoded as in `X-Auth-Uid`, with `{`, `}` and `:` escaped too. The braces around the user are
/// therefore the only ones of a key, and form its hash tag in a Redis Cluster. Likewise, all colons are separators:
/// `{TENANT:UID}` is always the user of a tenant, and `{PROJECT:TENANT:UID}` or `{PROJECT::UID}` the user of a project.
package enum RedisKeys {
    /// The prefix of the key of a user's record. The encoded project and tenant with `:`, if any, the encoded uid and
    /// `}` follow.
    static let userPrefix = "gatehouse:user:{"
    /// The prefix of the key of a session's record. The encoded user, `}:` and the encoded session follow.
    static let sessionPrefix = "gatehouse:session:{"
    /// The stream of changes.
    package static let changes = "gatehouse:changes"

    /// Returns the key of the hash with a user's record.
    package static func user(_ user: UserKey) -> [UInt8] {
        tagged(userPrefix, user.parts)
    }

    /// Returns the key of the hash with a session's record.
    package static func session(_ user: UserKey, _ session: String) -> [UInt8] {
        var key = tagged(sessionPrefix, user.parts)
        key.append(UInt8(ascii: ":"))
        append(session, to: &key)
        return key
    }

    /// Returns the key of the hash with the list of a user's sessions.
    package static func sessions(of user: UserKey) -> [UInt8] {
        tagged("gatehouse:sessions:{", user.parts)
    }

    /// Returns the key of a nonce, which exists while the nonce can be used.
    package static func nonce(_ hash: SHA256Digest) -> [UInt8] {
        Array("gatehouse:nonce:".utf8) + HexDigits.text(of: hash.bytes).utf8
    }

    /// Returns the key of a used credential, which exists while it cannot be used again.
    package static func seen(_ hash: SHA256Digest) -> [UInt8] {
        Array("gatehouse:seen:".utf8) + HexDigits.text(of: hash.bytes).utf8
    }

    /// Returns the key of the hash with the open sign-in flows of one browser.
    package static func flows(of holder: SHA256Digest) -> [UInt8] {
        Array("gatehouse:flow:".utf8) + HexDigits.text(of: holder.bytes).utf8
    }

    /// Returns the key of the string with the uid that a linked identity belongs to.
    package static func link(_ link: IdentityLink) -> [UInt8] {
        tagged("gatehouse:link:{", [link.provider, link.subject])
    }

    /// Returns the key of the hash with an account.
    package static func account(_ user: UserKey) -> [UInt8] { tagged(accountPrefix, user.parts) }

    private static let accountPrefix = "gatehouse:account:{"

    /// The pattern of the keys of accounts.
    package static let accountPattern = accountPrefix + "*"

    /// Returns the user that the key of an account names. `nil` for a key that `account` would encode differently, and
    /// for a name that no user can have.
    package static func user(ofAccount key: [UInt8]) -> UserKey? {
        guard key.starts(with: accountPrefix.utf8) else { return nil }
        var names: [UInt8] = []
        let kind = (Array(userPrefix.utf8) + key.dropFirst(accountPrefix.utf8.count)).withUnsafeBytes {
            RedisRecordKey(parsing: $0, names: &names)
        }
        guard kind == .user, let name = String(validating: names, as: UTF8.self) else { return nil }
        let user = UserKey(name: name)
        return (try? StoreBounds.check(user: user)) == nil ? nil : user
    }

    /// The hash of the deletions of accounts that are not complete: the name of the user, and when it began.
    package static let deleting = "gatehouse:deleting"

    /// The sorted sets of changes to write back: by the time at which they are due, and by the time at which they were
    /// queued.
    package static let writeBack = ["gatehouse:write_back", "gatehouse:write_back:queued"].map { Array($0.utf8) }

    /// The sorted set of parked changes, by the time at which they were parked.
    package static let writeBackParked = Array("gatehouse:write_back:parked".utf8)

    /// The string with the gateway that delivers them.
    package static let writeBackLease = Array("gatehouse:write_back:lease".utf8)

    /// Returns the sorted sets of the outbox for one destination: waiting messages by the time at which they are due,
    /// and by the time at which they were queued, and parked messages by the time at which they were parked.
    package static func outbox(_ destination: String) -> [[UInt8]] {
        let key = tagged("gatehouse:outbox:{", [destination])
        return [key, key + ":queued".utf8, key + ":parked".utf8]
    }

    /// Returns the string with the gateway that delivers them.
    package static func outboxLease(_ destination: String) -> [UInt8] {
        tagged("gatehouse:outbox:{", [destination]) + ":lease".utf8
    }

    /// The hash with the names of all destinations.
    package static let outboxDestinations = "gatehouse:outbox:destinations"

    /// Returns the string that counts the removals that a user requested.
    package static func removals(_ user: UserKey) -> [UInt8] { tagged("gatehouse:removals:{", user.parts) }

    /// Returns the string that counts the links to an address.
    package static func links(to email: String) -> [UInt8] { tagged("gatehouse:email_links:{", [email]) }

    /// The hash of the gateways that share the store.
    package static let fleet = Array("gatehouse:fleet".utf8)

    /// Returns the key of the string with the gateway that has a lease.
    package static func lease(_ name: String) -> [UInt8] { Array("gatehouse:lease:\(name)".utf8) }

    /// The hash of the transmitters that have, or had, records of unknown users.
    package static let transmitters = Array("gatehouse:unknown".utf8)

    /// Returns the key of the sorted set of these users, by the end of their records.
    package static func unknownUsers(of transmitter: String) -> [UInt8] {
        tagged("gatehouse:unknown:{", [transmitter])
    }

    /// Returns the key of the string with a shared rate limit bucket. The name is visible ASCII without braces.
    package static func rate(_ name: String) -> [UInt8] { Array("gatehouse:rate:{\(name)}".utf8) }

    /// Returns the key of the string with the uid that an address belongs to.
    package static func email(_ email: String) -> [UInt8] { tagged("gatehouse:email:{", [email]) }

    /// Returns the key of a setting that all gateways share.
    package static func setting(_ name: String) -> [UInt8] { Array("gatehouse:setting:\(name)".utf8) }

    private static func tagged(_ prefix: String, _ parts: [String]) -> [UInt8] {
        var key = Array(prefix.utf8)
        for (place, part) in parts.enumerated() {
            if place > 0 { key.append(UInt8(ascii: ":")) }
            append(part, to: &key)
        }
        key.append(UInt8(ascii: "}"))
        return key
    }

    private static func append(_ name: String, to key: inout [UInt8]) {
        for byte in name.utf8 {
            if isPlain(byte) { key.append(byte) } else { PercentEncoding.appendEscape(byte, to: &key) }
        }
    }

    /// Returns whether the byte needs no escape in a key.
    @inline(__always)
    fileprivate static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncoding.isPlain(byte) && byte != UInt8(ascii: "{") && byte != UInt8(ascii: "}")
            && byte != UInt8(ascii: ":")
    }
}

extension UserKey {
    /// The names between the braces of a key.
    fileprivate var parts: [String] {
        guard let project else { return (tenant.map { [$0] } ?? []) + [uid] }
        return [project, tenant ?? "", uid]
    }
}

/// The kind of record that a key names.
package enum RedisRecordKey: Equatable {
    /// The record of a user. The names are ``UserKey/name``.
    case user
    /// The record of a session. The names are ``UserKey/name``, of `nameCount` bytes, and the session.
    case session(nameCount: Int)

    /// Parses a key and replaces the content of `names` by its decoded names, concatenated.
    ///
    /// `nil` for a key that `RedisKeys` would encode differently, and for names that are empty or too long: no lookup
    /// finds such a record. Nothing is allocated if `names` has a capacity of `maximumNames` bytes.
    package init?(parsing key: UnsafeRawBufferPointer, names: inout [UInt8]) {
        names.removeAll(keepingCapacity: true)
        if let rest = key.dropping(RedisKeys.userPrefix) {
            guard let end = Self.decodeUser(rest, into: &names), end + 1 == rest.count else { return nil }
            self = .user
        } else if let rest = key.dropping(RedisKeys.sessionPrefix) {
            guard let end = Self.decodeUser(rest, into: &names), end + 1 < rest.count,
                rest[end + 1] == UInt8(ascii: ":")
            else { return nil }
            let nameCount = names.count
            let session = UnsafeRawBufferPointer(rebasing: rest[(end + 2)...])
            guard Self.decode(session, into: &names) == session.count,
                1...StoreBounds.maximumSessionSize ~= names.count - nameCount
            else { return nil }
            self = .session(nameCount: nameCount)
        } else {
            return nil
        }
    }

    /// The maximum size of the names of one key, in bytes.
    package static let maximumNames =
        UserKey.maximumProjectSize + 1 + UserKey.maximumTenantSize + 1 + maximumUIDSize + StoreBounds.maximumSessionSize
    private static let maximumUIDSize = 4 * StoreBounds.maximumUIDLength

    /// Decodes and appends the name of the user at the start of `bytes`.
    ///
    /// - Returns: The index of the `}` after the name. `nil` if the name is invalid.
    private static func decodeUser(_ bytes: UnsafeRawBufferPointer, into names: inout [UInt8]) -> Int? {
        guard var end = decode(bytes, into: &names) else { return nil }
        var separators: (first: Int, last: Int)?
        var count = 0
        while end < bytes.count, bytes[end] == UInt8(ascii: ":") {
            guard count < 2 else { return nil }
            count += 1
            separators = (separators?.first ?? names.count, names.count)
            names.append(UserKey.separator)
            let rest = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
            guard let restEnd = decode(rest, into: &names) else { return nil }
            end += 1 + restEnd
        }
        let uidSize = names.count - (separators.map { $0.last + 1 } ?? 0)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "}"), 1...maximumUIDSize ~= uidSize,
            separators.map({ isQualifier(names, $0.first, $0.last) }) ?? true
        else { return nil }
        return end
    }

    /// Returns whether the names before the last separator are a tenant, or a project with or without a tenant.
    private static func isQualifier(_ names: [UInt8], _ first: Int, _ last: Int) -> Bool {
        guard first < last else { return UserKey.isTenant(names[..<first]) }
        let tenant = names[(first + 1)..<last]
        return UserKey.isProject(names[..<first]) && (tenant.isEmpty || UserKey.isTenant(tenant))
    }

    /// Decodes and appends the name at the start of `bytes`.
    ///
    /// - Returns: The index of the end of the name. `nil` for an invalid escape, an unnecessary escape, and an
    ///   escaped control character, which no name contains.
    private static func decode(_ bytes: UnsafeRawBufferPointer, into names: inout [UInt8]) -> Int? {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if RedisKeys.isPlain(byte) {
                names.append(byte)
                index += 1
            } else if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, let high = upperCaseValue(bytes[index + 1]),
                    let low = upperCaseValue(bytes[index + 2]), isEncoded(high << 4 | low)
                else { return nil }
                names.append(high << 4 | low)
                index += 3
            } else {
                return index
            }
        }
        return index
    }

    /// Lower-case digits are rejected, so that each name has one encoding.
    private static func upperCaseValue(_ digit: UInt8) -> UInt8? {
        digit < UInt8(ascii: "a") ? HexDigits.value(of: digit) : nil
    }

    private static func isEncoded(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F && !RedisKeys.isPlain(byte)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the bytes after `prefix`. `nil` if the bytes do not begin with it.
    fileprivate func dropping(_ prefix: String) -> UnsafeRawBufferPointer? {
        let count = prefix.utf8.count
        guard self.count >= count, self[..<count].elementsEqual(prefix.utf8) else { return nil }
        return UnsafeRawBufferPointer(rebasing: self[count...])
    }
}
