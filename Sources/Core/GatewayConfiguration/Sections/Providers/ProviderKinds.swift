import HTTPWire
import GatewayCore

extension KnownKeys {
    static let apple = KnownKeys(
        provider: .apple, ofAudiences + ofIDTokens + ofFlows + ["client_id", "team_id", "key_id", "private_key"])
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

extension KnownKeys {
    static let facebook = KnownKeys(
        provider: .facebook,
        ["app_id", "app_secret", "token_check_url", "deletion_status_url"] + ofCalls + ofIDTokens)
}

extension ProviderReader {
    /// Reads Limited Login's ID tokens and, if the app's secret is configured, classic access tokens.
    func facebook() -> (IDTokens, OpaqueTokens?) {
        // The lookup's credential has the form ID|SECRET.
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
                ["token_check_url", "deletion_status_url"] + KnownKeys.ofCalls,
                "has no effect without app_secret, since access tokens are not accepted",
                "add app_secret, or remove it")
            return nil
        }
        let url = url("token_check_url", .readSecrets) ?? "https://graph.facebook.com/debug_token"
        var tokens = OpaqueTokens(url: url, clientID: app, clientSecret: value.secret() ?? Secret(""))
        readCalls(&tokens)
        return tokens
    }
}

extension KnownKeys {
    static let github = KnownKeys(
        provider: .github,
        ["client_id", "client_secret", "token_check_url", "webhook_secret"] + ofCalls + ofFlows
            + ["user_url", "insecure_http"])
}

extension ProviderReader {
    func github() -> OpaqueTokens {
        // The id becomes a segment of the URL.
        let client = clientID("client_id", "add client_id: ID of your OAuth App or GitHub App") {
            ClaimPathParser.continuesName($0) || "-.".utf8.contains($0)
        }
        let url = url("token_check_url", .readSecrets) ?? "https://api.github.com/applications/{client_id}/token"
        var tokens = OpaqueTokens(
            url: url, clientID: client ?? "", clientSecret: clientSecret("add client_secret, the secret of that app"))
        readCalls(&tokens)
        return tokens
    }
}

extension KnownKeys {
    static let google = KnownKeys(
        provider: .google, ofAudiences + ["hosted_domain"] + ofIDTokens + ofClient + ofFlows)
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
        guard HostName.isValid(text), text.contains("."), IPAddress(text) == nil else {
            return value.fail(
                "\(value.name) is \(value.shown), not a domain",
                "write the domain of the organization, as in example.com")
        }
        return text
    }
}

extension KnownKeys {
    static let linkedin = KnownKeys(
        provider: .linkedin, ofAudiences + ["discovery_url"] + ofIDTokens + ofClient + ofFlows)
}

extension ProviderReader {
    func linkedin() -> IDTokens {
        var tokens = discoveredIDTokens(issuer: issuer() ?? "https://www.linkedin.com/oauth")
        readAuthorizedParties(&tokens)
        return tokens
    }
}

extension KnownKeys {
    static let yahoo = KnownKeys(provider: .yahoo, ofAudiences + ofIDTokens + ofClient + ofFlows)
}

extension ProviderReader {
    func yahoo() -> IDTokens {
        var tokens = idTokens(
            issuers: ["https://api.login.yahoo.com"], keysURL: "https://api.login.yahoo.com/openid/v1/certs")
        readAuthorizedParties(&tokens)
        return tokens
    }
}

extension KnownKeys {
    static let oidc = KnownKeys(
        provider: .oidc, ofAudiences + ["discovery_url"] + ofIDTokens + ofClient + ofFlows)
}

extension ProviderReader {
    /// Reads any OpenID Connect provider, whose issuer is required.
    func oidc() -> IDTokens {
        _ = mapping.required("issuer", "add issuer: https://HOST, the 'iss' of its tokens")
        var tokens = discoveredIDTokens(issuer: issuer() ?? "")
        readAuthorizedParties(&tokens)
        return tokens
    }
}

extension KnownKeys {
    static let oauth = KnownKeys(
        provider: .oauth,
        ["introspection_url", "client_id", "client_secret", "client_authentication", "audiences", "issuer"] + ofCalls
            + ["insecure_http"])
}

extension ProviderReader {
    /// Reads any authorization server with token introspection (RFC 7662).
    func oauth() -> OpaqueTokens {
        _ = mapping.required("introspection_url", "add introspection_url: https://HOST/PATH")
        var tokens = OpaqueTokens(
            url: url("introspection_url", .readSecrets) ?? "",
            clientID: clientID("client_id", "add client_id: ID, the gateway's client id at the authorization server")
                ?? "",
            clientSecret: clientSecret("add client_secret, the secret of that client"))
        mapping.set(&tokens.clientAuthentication, "client_authentication") { $0.choice() }
        tokens.audiences = audiences(
            "add audiences: [ID], the accepted values of 'aud', or of 'client_id' if a token has no 'aud'",
            hasFlow: false)
        // The issuer is never requested, and RFC 7519 does not require a URL.
        mapping.set(&tokens.issuer, "issuer") { $0.string(atMost: 1_024) }
        readCalls(&tokens)
        return tokens
    }
}
