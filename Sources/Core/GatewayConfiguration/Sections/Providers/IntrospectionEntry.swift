extension KnownKeys {
    static let oauth = KnownKeys(
        provider: .oauth,
        ["introspection_url", "client_id", "client_secret", "client_authentication", "audiences", "issuer"] + ofCalls
            + ["insecure_http"])
}

extension ProviderReader {
    /// Any authorization server with token introspection (RFC 7662).
    func oauth() -> OpaqueTokens {
        _ = mapping.required("introspection_url", "add introspection_url: https://HOST/PATH")
        var tokens = OpaqueTokens(
            url: url("introspection_url", .readSecrets) ?? "",
            clientID: clientID("client_id", "add client_id: ID, whom the authorization server knows the gateway as")
                ?? "",
            clientSecret: clientSecret("add client_secret: the secret of that client"))
        mapping.set(&tokens.clientAuthentication, "client_authentication") { $0.choice() }
        tokens.audiences = audiences(
            "add audiences: [ID], which 'aud' must name, or 'client_id' where there is no 'aud'")
        // Nothing is fetched from it, and RFC 7519 asks for no URL.
        mapping.set(&tokens.issuer, "issuer") { $0.string(atMost: 1_024) }
        readCalls(&tokens)
        return tokens
    }
}
