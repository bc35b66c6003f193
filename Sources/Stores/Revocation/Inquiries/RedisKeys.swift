import GatewayCore
package import JOSE
import TextCoding

/// How records are named in Redis: a public contract, since other backends write them too.
///
/// A name in a key is spelled as in `X-Auth-Uid`, with `{`, `}` and `:` encoded too: the braces around the user are the only ones of a key, and so
/// its hash tag in a Redis Cluster, and the colons between the parts are the only ones. So `{TENANT:UID}` names a tenant's user, and no uid alone.
package enum RedisKeys {
    /// What the key of a user's record begins with, before the encoded tenant, if any, with a `:`, the encoded uid and `}`.
    static let userPrefix = "gatehouse:user:{"
    /// What the key of a session's record begins with, before the same, `}:` and the encoded session.
    static let sessionPrefix = "gatehouse:session:{"
    /// The stream of changes.
    package static let changes = "gatehouse:changes"

    /// The hash that holds a user's record.
    package static func user(_ user: UserKey) -> [UInt8] {
        tagged(userPrefix, user.parts)
    }

    /// The hash that holds the record of a session.
    package static func session(_ user: UserKey, _ session: String) -> [UInt8] {
        var key = tagged(sessionPrefix, user.parts)
        key.append(UInt8(ascii: ":"))
        append(session, to: &key)
        return key
    }

    /// The string that is there while a nonce may be used.
    package static func nonce(_ hash: SHA256Digest) -> [UInt8] {
        Array("gatehouse:nonce:".utf8) + HexDigits.text(of: hash.bytes).utf8
    }

    /// The string that is there while a credential may not be used again.
    package static func seen(_ hash: SHA256Digest) -> [UInt8] {
        Array("gatehouse:seen:".utf8) + HexDigits.text(of: hash.bytes).utf8
    }

    /// The string that holds the uid an identity at a provider belongs to.
    package static func link(_ link: IdentityLink) -> [UInt8] {
        tagged("gatehouse:link:{", [link.provider, link.subject])
    }

    /// The hash that holds an account.
    package static func account(_ user: UserKey) -> [UInt8] { tagged("gatehouse:account:{", user.parts) }

    /// The string that holds the uid an address belongs to.
    package static func email(_ email: String) -> [UInt8] { tagged("gatehouse:email:{", [email]) }

    /// The string that holds what all gateways share.
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

    /// Whether the byte stands for itself in a key.
    @inline(__always)
    fileprivate static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncoding.isPlain(byte) && byte != UInt8(ascii: "{") && byte != UInt8(ascii: "}")
            && byte != UInt8(ascii: ":")
    }
}

extension UserKey {
    /// The names between the braces of a key.
    fileprivate var parts: [String] { (tenant.map { [$0] } ?? []) + [uid] }
}

/// Whose record a key names.
package enum RedisRecordKey: Equatable {
    /// A user's: the names are ``UserKey/name``.
    case user
    /// A session's: the names are ``UserKey/name``, of so many bytes, and then the session.
    case session(nameCount: Int)

    /// Reads a key, and replaces the content of `names` by the names in it, decoded, one after the other.
    ///
    /// A key that `RedisKeys` would spell in another way, or whose names are empty or longer than the store allows, is none: whoever asks for
    /// that name does not find it. No allocation where `names` has room for `maximumNames` bytes.
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

    /// How many bytes the names of a key can have together.
    package static let maximumNames = UserKey.maximumTenantSize + 1 + maximumUIDSize + StoreBounds.maximumSessionSize
    private static let maximumUIDSize = 4 * StoreBounds.maximumUIDLength

    /// Appends the name of the user that `bytes` begins with.
    ///
    /// - Returns: where the `}` after it stands.
    private static func decodeUser(_ bytes: UnsafeRawBufferPointer, into names: inout [UInt8]) -> Int? {
        guard var end = decode(bytes, into: &names), end < bytes.count else { return nil }
        var tenantCount = 0
        if bytes[end] == UInt8(ascii: ":") {
            guard UserKey.isTenant(names) else { return nil }
            names.append(UserKey.separator)
            tenantCount = names.count
            let rest = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
            guard let restEnd = decode(rest, into: &names) else { return nil }
            end += 1 + restEnd
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "}"), 1...maximumUIDSize ~= names.count - tenantCount
        else { return nil }
        return end
    }

    /// Appends the encoded name that `bytes` begins with.
    ///
    /// - Returns: where it ends; `nil` if it has an escape that is none, of a byte that needs none, or of a control
    ///   character, which no name has.
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

    /// A name has one encoding: lower-case digits are none.
    private static func upperCaseValue(_ digit: UInt8) -> UInt8? {
        digit < UInt8(ascii: "a") ? HexDigits.value(of: digit) : nil
    }

    private static func isEncoded(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F && !RedisKeys.isPlain(byte)
    }
}

extension UnsafeRawBufferPointer {
    /// What follows `prefix`; nil for bytes that do not begin with it.
    fileprivate func dropping(_ prefix: String) -> UnsafeRawBufferPointer? {
        let count = prefix.utf8.count
        guard self.count >= count, self[..<count].elementsEqual(prefix.utf8) else { return nil }
        return UnsafeRawBufferPointer(rebasing: self[count...])
    }
}
