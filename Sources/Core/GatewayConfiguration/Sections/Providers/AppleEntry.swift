extension KnownKeys {
    static let apple = KnownKeys(provider: .apple, ofAudiences + ofIDTokens)
}

extension ProviderReader {
    func apple() -> IDTokens {
        var tokens = idTokens(
            issuers: ["https://appleid.apple.com", "https://account.apple.com"],
            keysURL: "https://appleid.apple.com/auth/keys")
        readAuthorizedParties(&tokens)
        return tokens
    }
}
