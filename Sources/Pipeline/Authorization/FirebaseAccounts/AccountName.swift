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

    /// Returns whether two accounts are in the same tenant, so that one call can look up both.
    static func haveSameTenant(_ one: Bytes, _ other: Bytes) -> Bool {
        prefix(of: one).elementsEqual(prefix(of: other))
    }

    private static func prefix(of bytes: Bytes) -> ArraySlice<UInt8> {
        bytes.firstIndex(of: separator).map { bytes[...$0] } ?? []
    }
}
