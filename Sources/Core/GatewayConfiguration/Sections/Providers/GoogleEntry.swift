import GatewayCore

extension KnownKeys {
    static let google = KnownKeys(provider: .google, ofAudiences + ["hosted_domain"] + ofIDTokens)
}

extension ProviderReader {
    func google() -> IDTokens {
        var tokens = idTokens(
            issuers: ["https://accounts.google.com", "accounts.google.com"],
            keysURL: "https://www.googleapis.com/oauth2/v3/certs")
        readAuthorizedParties(&tokens)
        mapping.set(&tokens.hostedDomain, "hosted_domain", domain)
        return tokens
    }

    private func domain(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 253)?.lowercased() else { return nil }
        guard HostName.isValid(text), text.contains("."), IPLiteral.v4(text) == nil else {
            return value.fail(
                "\(value.name) is \(value.shown), not a domain",
                "write the domain of the organization, as in example.com")
        }
        return text
    }
}
