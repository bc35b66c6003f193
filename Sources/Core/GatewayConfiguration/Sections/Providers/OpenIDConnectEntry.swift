extension KnownKeys {
    static let oidc = KnownKeys(provider: .oidc, ofAudiences + ["discovery_url"] + ofIDTokens)
}

extension ProviderReader {
    /// Any OpenID Connect provider: its issuer has to be told.
    func oidc() -> IDTokens {
        _ = mapping.required("issuer", "add issuer: https://HOST, as tokens have it in 'iss'")
        var tokens = discoveredIDTokens(issuer: issuer() ?? "")
        readAuthorizedParties(&tokens)
        return tokens
    }
}
