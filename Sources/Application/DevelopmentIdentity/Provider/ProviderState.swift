internal import JOSE

/// The mutable settings of a running provider.
struct ProviderState {
    var keys: DevelopmentKeys
    let maxAge: Int
    /// Modified discovery documents.
    var discovery: [IdentityProvider: JSONObject] = [:]
    /// The provider's URL, known after it starts listening.
    var base = ""

    /// Returns the keys of one use as a JWK set.
    func jwkSet(_ use: DevelopmentKeys.Use) -> JSON {
        ["keys": .array(keys[use].map { .raw($0.jwk) })]
    }

    /// Returns the keys of one use as `{kid: certificate}`. The certificates are valid for 16 days, starting a day ago.
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

    /// Returns the current discovery document of a provider.
    func discoveryDocument(of provider: IdentityProvider) -> JSONObject {
        discovery[provider] ?? provider.discoveryDocument(base: base)
    }
}
