extension KnownKeys {
    static let linkedin = KnownKeys(provider: .linkedin, ofAudiences + ["discovery_url"] + ofIDTokens)
}

extension ProviderReader {
    func linkedin() -> IDTokens {
        var tokens = discoveredIDTokens(issuer: issuer() ?? "https://www.linkedin.com/oauth")
        readAuthorizedParties(&tokens)
        return tokens
    }
}
