import Revocation

/// The way to find a Firebase account within its project.
struct AccountName {
    /// The UTF-8 of the uid, or of the tenant, U+001F and the uid. For an identity or an address: U+0002, the tenant or
    /// nothing, U+001F, and the text of the name. No part has other control characters, except that text.
    typealias Bytes = [UInt8]

    private static let separator = UInt8(0x1F)
    private static let listed = UInt8(0x02)

    /// The tenant. `nil` for the project's own accounts.
    let tenant: String?
    let query: AccountLookup.Query

    init(uid: String, tenant: String?) {
        self.tenant = tenant
        query = .uid(Array(uid.utf8))
    }

    init(_ name: FirebaseName, tenant: String?) {
        self.tenant = tenant
        query = .name(name)
    }

    init(bytes: Bytes) {
        guard bytes.first == Self.listed else {
            let end = bytes.firstIndex(of: Self.separator)
            tenant = end.map { String(decoding: bytes[..<$0], as: UTF8.self) }
            query = .uid(end.map { Array(bytes[($0 + 1)...]) } ?? bytes)
            return
        }
        let parts = bytes.dropFirst().split(separator: Self.separator, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        tenant = parts.first.flatMap { $0.isEmpty ? nil : $0 }
        let (provider, id) = parts.count == 3 ? (parts[1], parts[2]) : ("", "")
        query = .name(provider.isEmpty ? .email(id) : .identity(provider: provider, id: id))
    }

    var bytes: Bytes {
        switch query {
        case .uid(let uid): (tenant.map { Array($0.utf8) + [Self.separator] } ?? []) + uid
        case .name(let name): [Self.listed] + Array((tenant ?? "").utf8) + [Self.separator] + Array(name.text.utf8)
        }
    }

    /// Returns the tenant of an account and the separator, empty without a tenant, after the mark of a name. One call
    /// looks up accounts of one lane, and a lane whose calls fail does not pause others.
    static func lane(of bytes: Bytes) -> ArraySlice<UInt8> {
        bytes.firstIndex(of: separator).map { bytes[...$0] } ?? []
    }
}
