/// The name of a Firebase account within its project.
struct AccountName {
    /// The UTF-8 of the uid, or of the tenant, U+001F and the uid. Neither part has control characters.
    typealias Bytes = [UInt8]

    private static let separator = UInt8(0x1F)

    /// The tenant. `nil` for the project's own accounts.
    let tenant: String?
    /// The UTF-8 of the uid.
    let uid: AccountLookup.UID

    init(uid: String, tenant: String?) {
        self.tenant = tenant
        self.uid = Array(uid.utf8)
    }

    init(bytes: Bytes) {
        let end = bytes.firstIndex(of: Self.separator)
        tenant = end.map { String(decoding: bytes[..<$0], as: UTF8.self) }
        uid = end.map { Array(bytes[($0 + 1)...]) } ?? bytes
    }

    var bytes: Bytes { (tenant.map { Array($0.utf8) + [Self.separator] } ?? []) + uid }

    /// Returns the tenant of an account and the separator, empty without a tenant. One call looks up accounts of one
    /// tenant, and a tenant whose calls fail does not pause those of others.
    static func lane(of bytes: Bytes) -> ArraySlice<UInt8> {
        bytes.firstIndex(of: separator).map { bytes[...$0] } ?? []
    }
}
