extension KnownKeys {
    static let yahoo = KnownKeys(provider: .yahoo, ofAudiences + ofIDTokens)
}

extension ProviderReader {
    func yahoo() -> IDTokens {
        var tokens = idTokens(
            issuers: ["https://api.login.yahoo.com"], keysURL: "https://api.login.yahoo.com/openid/v1/certs")
        readAuthorizedParties(&tokens)
        return tokens
    }
}
