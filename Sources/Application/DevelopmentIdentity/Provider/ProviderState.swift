internal import JOSE

/// The settings of a running provider, which may change.
struct ProviderState {
    var keys: DevelopmentKeys
    let maxAge: Int
    /// Discovery documents that were changed.
    var discovery: [IdentityProvider: JSONObject] = [:]
    /// The provider's URL; it is known once it listens.
    var base = ""

    /// The keys of one use as JWK Set.
    func jwkSet(_ use: DevelopmentKeys.Use) -> JSON {
        ["keys": .array(keys[use].map { .raw($0.jwk) })]
    }

    /// The keys of one use as `{kid: certificate}`; the certificates are valid from a day ago for 16 days.
    func x509Map(_ use: DevelopmentKeys.Use, now: Int64) throws(SigningKeyError) -> JSON {
        var map = JSONObject()
        for key in keys[use] {
            let pem = try key.certificatePEM(
                commonName: "securetoken.system.gserviceaccount.com", notBefore: now - 86_400,
                notAfter: now + 15 * 86_400)
            map[key.keyID] = .string(String(decoding: pem, as: UTF8.self))
        }
        return .object(map)
    }

    /// The discovery document of a provider as it is now.
    func discoveryDocument(of provider: IdentityProvider) -> JSONObject {
        discovery[provider] ?? provider.discoveryDocument(base: base)
    }
}
