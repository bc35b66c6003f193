internal import JOSE

extension IdentityProvider {
    /// The discovery document (OpenID Connect Discovery 1.0 section 3) of a provider that `base` stands in for.
    ///
    /// - Parameter base: the URL of the development provider.
    func discoveryDocument(base: String) -> JSONObject {
        let algorithms = keyAlgorithms == [.rs256, .es256] ? ["ES256", "RS256"] : ["RS256"]
        let issuer = issuer(base: base)
        return [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"),
            "jwks_uri": .string(base + DevelopmentProvider.Endpoint.keys(self).rawValue),
            "response_types_supported": ["code", "id_token"],
            "subject_types_supported": [self == .microsoft ? "pairwise" : "public"],
            "id_token_signing_alg_values_supported": .array(algorithms.map(JSON.string)),
            "scopes_supported": ["openid", "profile", "email"],
        ]
    }

    /// The issuer of tokens from a development provider: the real one, of `oidc.NAME` where its discovery document is.
    func issuer(base: String) -> String {
        if case .oidc(let name) = self { return "\(base)/oidc/\(name)" }
        return issuer
    }
}
