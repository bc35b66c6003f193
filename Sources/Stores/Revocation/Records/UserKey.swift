/// The complete name of a user: the uid, and the tenant if tokens of several tenants are valid.
///
/// The store, rate limits, caches and lookups take this type and no bare uid, since a uid is unique only in its
/// tenant. The name omits the Firebase project, since a configuration has only one, and the provider, since the uid
/// of a provider's user begins with the provider's id.
///
/// Names are unique. Uids and tenants have no control characters, so neither contains `separator`. A name without it
/// is a uid without a tenant, as in versions before tenants were supported.
package struct UserKey: Sendable {
    /// The tenant. `nil` if only tokens of one tenant, or only tokens without a tenant, are valid.
    package let tenant: String?
    /// The uid, which is unique in the tenant.
    package let uid: String
    /// The name as one string: the uid, or the tenant, `separator` and the uid.
    package let name: String

    /// The character between the tenant and the uid of a name: U+001F, the unit separator.
    static let separator = UInt8(0x1F)
    /// The maximum size of a tenant, in bytes.
    package static let maximumTenantSize = 128

    /// Creates a name.
    ///
    /// - Parameter tenant: The tenant, without a default, so that each caller decides.
    package init(uid: String, tenant: String?) {
        self.tenant = tenant
        self.uid = uid
        name = tenant.map { "\($0)\u{1F}\(uid)" } ?? uid
    }

    /// Parses a stored name.
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

    /// Creates the name of a linked identity's user while the identity belongs to no account.
    package init(_ link: IdentityLink) {
        self.init(uid: link.name, tenant: nil)
    }

    /// Returns whether a text is a valid tenant: 1 to 128 letters, digits, `-` and `_`, as Identity Platform creates
    /// them. The id of a provider contains a dot, so `PROVIDER:SUBJECT` cannot be mistaken for a tenant's user.
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
    /// Returns whether both names have the same bytes. Strings compare by canonical equivalence.
    package static func == (one: UserKey, other: UserKey) -> Bool { one.name.isExactly(other.name) }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
