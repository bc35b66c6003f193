/// The complete name of a user: the uid, the tenant if tokens of several tenants are valid, and the Firebase project
/// unless it is the first one.
///
/// The store, rate limits, caches and lookups take this type and no bare uid, since a uid is unique only in its project
/// and tenant. The name omits the provider, since the uid of a provider's user begins with the provider's id.
///
/// Names are unique. Uids, tenants and projects have no control characters, so none contains `separator`. A name
/// without it is a uid without a tenant, as in versions before tenants were supported.
package struct UserKey: Sendable {
    /// The Firebase project. `nil` for users of the first project, and of other issuers.
    package let project: String?
    /// The tenant. `nil` if only tokens of one tenant, or only tokens without a tenant, are valid.
    package let tenant: String?
    /// The uid, which is unique in the project and the tenant.
    package let uid: String
    /// The name as one string: the uid; or the tenant, `separator` and the uid; or the project, `separator`, the tenant
    /// or nothing, `separator` and the uid.
    package let name: String

    /// The character between the parts of a name: U+001F, the unit separator.
    static let separator = UInt8(0x1F)
    /// The maximum sizes of a tenant and of a project, in bytes.
    package static let maximumTenantSize = 128
    package static let maximumProjectSize = 128

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - tenant: The tenant, without a default, so that each caller decides.
    ///   - project: The project, unless it is the first one.
    package init(uid: String, tenant: String?, project: String? = nil) {
        self.project = project
        self.tenant = tenant
        self.uid = uid
        name =
            if let project {
                "\(project)\u{1F}\(tenant ?? "")\u{1F}\(uid)"
            } else {
                tenant.map { "\($0)\u{1F}\(uid)" } ?? uid
            }
    }

    /// Parses a stored name.
    package init(name: String) {
        let parts = name.utf8.split(separator: Self.separator, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        switch parts.count {
        case 3: (project, tenant, uid) = (parts[0], parts[1].isEmpty ? nil : parts[1], parts[2])
        case 2: (project, tenant, uid) = (nil, parts[0], parts[1])
        default: (project, tenant, uid) = (nil, nil, name)
        }
        self.name = name
    }

    /// Creates the name of a linked identity's user while the identity belongs to no account.
    package init(_ link: IdentityLink) {
        self.init(uid: link.name, tenant: nil)
    }

    /// Whether the uid has the form of uids that the gateway creates, for accounts without a project and a tenant.
    package var isCreatedHere: Bool {
        tenant == nil && project == nil && uid.utf8.count == 32
            && uid.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
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

    /// Returns whether a text is a valid project: 1 to 128 letters, digits, `-`, `_`, `.` and `:`, with a dot only in
    /// the domain before a colon. The id of a provider contains a dot and no colon, so it is not a project.
    package static func isProject(_ text: some Sequence<UInt8>) -> Bool {
        var count = 0
        var hasDot = false
        var hasColon = false
        for byte in text {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: break
            case UInt8(ascii: "."): hasDot = true
            case UInt8(ascii: ":"): hasColon = true
            default: return false
            }
            count += 1
        }
        return (1...maximumProjectSize).contains(count) && (!hasDot || hasColon)
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
