public import JOSE

/// A key in a provider's set: the signing key and its published JWK.
///
/// The JWK can have any content: `jwk["issuer"]`, `jwk["alg"] = nil`, `jwk["use"] = "enc"`.
public struct PublishedKey: Sendable {
    /// The signing key.
    public let key: SigningKey
    /// The published JWK.
    public var jwk: JSONObject

    /// Creates a key with its own JWK.
    public init(_ key: SigningKey) {
        self.key = key
        jwk = [:]
        if case .object(let own)? = JSON(parsing: Array(key.jwk.utf8)) { jwk = own }
    }

    /// Creates a key whose JWK has an issuer but no `alg`, like Microsoft's.
    init(_ key: SigningKey, microsoftIssuer: String) {
        self.init(key)
        jwk["alg"] = nil
        jwk["issuer"] = .string(microsoftIssuer)
    }

    /// Returns whether the key may sign for an issuer: for any, unless the JWK names a specific one.
    func signs(for issuer: JSON?) -> Bool {
        guard case .string(let own)? = jwk["issuer"] else { return true }
        return own.hasSuffix("/{tenantid}/v2.0") || issuer == .string(own)
    }
}

extension IdentityProvider {
    /// Returns the keys in the provider's published form and order.
    func published(_ keys: [SigningKey]) -> [PublishedKey] {
        guard self == .microsoft else { return keys.map { PublishedKey($0) } }
        let personal = Self.microsoftIssuer(tenant: DevelopmentUser.personalMicrosoftTenant)
        // The last suitable key signs: of the two, the second only for personal accounts.
        return zip(keys, [issuer, personal]).map { PublishedKey($0, microsoftIssuer: $1) }
    }
}
