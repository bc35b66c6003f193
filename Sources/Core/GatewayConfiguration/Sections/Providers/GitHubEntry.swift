extension KnownKeys {
    static let github = KnownKeys(
        provider: .github, ["client_id", "client_secret", "token_check_url"] + ofCalls + ["insecure_http"])
}

extension ProviderReader {
    func github() -> OpaqueTokens {
        // It becomes a segment of the URL.
        let client = clientID("client_id", "add client_id: ID, of your OAuth or GitHub App") {
            ClaimPathParser.continuesName($0) || "-.".utf8.contains($0)
        }
        let url = url("token_check_url", .readSecrets) ?? "https://api.github.com/applications/{client_id}/token"
        var tokens = OpaqueTokens(
            url: url, clientID: client ?? "", clientSecret: clientSecret("add client_secret: the secret of that app"))
        readCalls(&tokens)
        return tokens
    }
}
