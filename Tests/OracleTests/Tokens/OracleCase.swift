import JOSE

@testable import Authentication

/// How a verifier is set, as far as both have the setting.
struct OracleSetting: Hashable, Sendable {
    var kind: CredentialKind
    /// Seconds. The SDK's also prolongs `exp`.
    var skew: Int64
    /// Nil: a verifier that was told of no tenant.
    var tenant: String?

    static let kinds: [CredentialKind] = [.idToken, .sessionCookie]
    static let skews: [Int64] = [0, 5, 60]
    static let tenants: [String?] = [nil, "corp"]
}

/// A token, and how it is to be verified.
struct OracleCase: Sendable {
    let name: String
    let setting: OracleSetting
    let token: [UInt8]

    init(_ mutations: [Mutation], _ setting: OracleSetting, keys: OracleKeys) throws {
        var draft = TokenDraft(setting.kind)
        for mutation in mutations { mutation.apply(&draft) }
        name = mutations.map { String($0.name.prefix(80)) }.joined(separator: "; ")
        self.setting = setting
        token = try draft.made(with: keys)
    }
}

extension OracleCase: CustomStringConvertible {
    var description: String {
        let how = "\(setting.kind), skew \(setting.skew), tenant \(setting.tenant ?? "none")"
        return "\(name) [\(how)] \(String(decoding: token, as: UTF8.self).prefix(1200))"
    }
}
