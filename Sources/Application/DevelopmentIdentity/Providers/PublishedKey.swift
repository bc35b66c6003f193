public import JOSE

/// A key in a provider's set: what signs, and the JWK that tells the world of it.
///
/// The JWK can say anything: `jwk["issuer"]`, `jwk["alg"] = nil`, `jwk["use"] = "enc"`.
public struct PublishedKey: Sendable {
    /// What signs.
    public let key: SigningKey
    /// What is published.
    public var jwk: JSONObject

    /// A key with its own JWK.
    public init(_ key: SigningKey) {
        self.key = key
        jwk = [:]
        if case .object(let own)? = JSON(parsing: Array(key.jwk.utf8)) { jwk = own }
    }

    /// A key whose JWK names the issuer it signs for, as Microsoft's do; Microsoft names no `alg`.
    init(_ key: SigningKey, microsoftIssuer: String) {
        self.init(key)
        jwk["alg"] = nil
        jwk["issuer"] = .string(microsoftIssuer)
    }

    /// Whether the key may sign for an issuer: any, unless the JWK names one, or a template.
    func signs(for issuer: JSON?) -> Bool {
        guard case .string(let own)? = jwk["issuer"] else { return true }
        return own.hasSuffix("/{tenantid}/v2.0") || issuer == .string(own)
    }
}

extension IdentityProvider {
    /// The keys as the provider publishes them, in that order.
    func published(_ keys: [SigningKey]) -> [PublishedKey] {
        guard self == .microsoft else { return keys.map { PublishedKey($0) } }
        let personal = Self.microsoftIssuer(tenant: DevelopmentUser.personalMicrosoftTenant)
        // The last one that may signs: of the two the second only for personal accounts.
        return zip(keys, [issuer, personal]).map { PublishedKey($0, microsoftIssuer: $1) }
    }
}
