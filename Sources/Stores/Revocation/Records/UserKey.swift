/// The complete name of a user: the tenant, where tokens of several tenants are valid, and the uid.
///
/// The store, rate limits, caches and lookups take this type and no bare uid, since a uid is unique only in its tenant. The Firebase project is no
/// part of the name: a configuration has one. Nor is a provider: the uid of a provider's user begins with the provider's id.
///
/// Two users never share a name. Uids and tenants have no control characters, so `separator` occurs in neither of them: a name without it is a uid
/// without a tenant, as in every version before tenants had names of their own.
package struct UserKey: Sendable {
    /// The tenant; `nil` where only one tenant's tokens, or only tokens without a tenant, are valid.
    package let tenant: String?
    /// The uid, which is unique in the tenant.
    package let uid: String
    /// The name as one text: the uid, or the tenant, `separator` and the uid.
    package let name: String

    /// The character between the tenant and the uid of a name: U+001F, the unit separator.
    static let separator = UInt8(0x1F)
    /// The longest tenant, in bytes.
    package static let maximumTenantSize = 128

    /// The name of a user.
    ///
    /// - Parameter tenant: without a default, so that each caller decides.
    package init(uid: String, tenant: String?) {
        self.tenant = tenant
        self.uid = uid
        name = tenant.map { "\($0)\u{1F}\(uid)" } ?? uid
    }

    /// The name that a store holds.
    package init(name: String) {
        let bytes = name.utf8
        if let end = bytes.firstIndex(of: Self.separator) {
            tenant = String(name[..<end])
            uid = String(name[bytes.index(after: end)...])
        } else {
            tenant = nil
            uid = name
        }
        self.name = name
    }

    /// The user that an identity at a provider names while it belongs to no account.
    package init(_ link: IdentityLink) {
        self.init(uid: link.name, tenant: nil)
    }

    /// Whether a text can be a tenant: 1 to 128 letters, digits, `-` and `_`. Identity Platform makes no others. The id of a provider has a dot, so
    /// `PROVIDER:SUBJECT` with an unescaped colon is never taken for a tenant's user.
    package static func isTenant(_ text: some Sequence<UInt8>) -> Bool {
        var count = 0
        for byte in text {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: count += 1
            default: return false
            }
        }
        return (1...maximumTenantSize).contains(count)
    }
}

extension UserKey: Hashable {
    /// Whether both are the same bytes; strings are equal by canonical equivalence.
    package static func == (one: UserKey, other: UserKey) -> Bool { one.name.isExactly(other.name) }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
