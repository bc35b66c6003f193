import GatewayCore

extension KnownKeys {
    static let facebook = KnownKeys(
        provider: .facebook, ["app_id", "app_secret", "token_check_url"] + ofCalls + ofIDTokens)
}

extension ProviderReader {
    /// Limited Login's ID tokens, and, where the app's secret is known, classic access tokens.
    func facebook() -> (IDTokens, OpaqueTokens?) {
        // Facebook is asked with ID|SECRET.
        let app = clientID("app_id", "add app_id: \"ID\", the id of your app") { $0 != UInt8(ascii: "|") } ?? ""
        var tokens = IDTokens(
            issuers: issuer().map { [$0] } ?? ["https://www.facebook.com", "https://limited.facebook.com"],
            audiences: [app],
            keys: .url(
                url("keys_url", .replacedKeys) ?? "https://limited.facebook.com/.well-known/oauth/openid/jwks/"))
        readRest(&tokens)
        return (tokens, classicTokens(of: app))
    }

    private func classicTokens(of app: String) -> OpaqueTokens? {
        guard let value = mapping.value("app_secret") else {
            refuse(
                ["token_check_url"] + KnownKeys.ofCalls, "without app_secret: access tokens do not count",
                "add app_secret, or remove it")
            return nil
        }
        let url = url("token_check_url", .readSecrets) ?? "https://graph.facebook.com/debug_token"
        var tokens = OpaqueTokens(url: url, clientID: app, clientSecret: value.secret() ?? Secret(""))
        readCalls(&tokens)
        return tokens
    }
}
