package import GatewayCore

extension Configuration {
    /// The authorization-code flow of one provider, which the gateway runs as the client.
    package struct CodeFlow: Sendable, Equatable {
        /// The authentication of the gateway at the token endpoint.
        package enum Credential: Sendable, Equatable {
            /// `client_secret`, or `app_secret` for Facebook.
            case secret(Secret)
            /// Apple: a secret that is signed for each request (`team_id`, `key_id`, `private_key`).
            case signed(team: String, keyID: String, file: String)
        }

        /// A parameter of the authorization URL (`parameters`).
        package struct Parameter: Sendable, Hashable {
            package var name: String
            package var value: String

            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The source of the endpoints.
        package enum Endpoints: Sendable, Equatable {
            case urls(authorization: String, token: String)
            /// The discovery document at this URL, whose `issuer` must be this one.
            case discovery(url: String, issuer: String)
        }

        /// The client (`client_id`).
        package var clientID: String
        package var credential: Credential
        package var endpoints: Endpoints
        /// GitHub: the URL of the user's profile (`user_url`); the addresses are below it. `nil` for other providers.
        package var userURL: String?
        /// The requested scopes (`scopes`), at most 64.
        package var scopes: [String]
        /// Additional parameters of the authorization URL (`parameters`), at most 32.
        package var parameters: [Parameter] = []
        /// Whether the user's tokens are kept, and revoked at the provider when the identity is unlinked
        /// (`revoke_at_provider`). Default: false.
        package var revokesTokens = false
        /// The URL that revokes tokens (`revocation_url`). `nil` for that of the discovery document.
        package var revocationURL: String?
        /// Whether the credential has no other use than the flow.
        package var needsPublicURL = true

        package init(clientID: String, credential: Credential, endpoints: Endpoints, scopes: [String]) {
            self.clientID = clientID
            self.credential = credential
            self.endpoints = endpoints
            self.scopes = scopes
        }
    }
}

extension Configuration.CodeFlow {
    /// The parameters that only the gateway sets, in lower case. `login_hint` can select the account or tenant at the
    /// provider, so that it comes only from a linked identity.
    private static let reserved: Set<String> = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type", "redirect_uri", "response_type",
        "response_mode", "scope", "state", "nonce", "code", "code_challenge", "code_challenge_method",
        "code_verifier", "grant_type", "request", "request_uri", "registration", "iss", "error", "max_age", "claims",
        "login_hint", "id_token_hint",
    ]

    /// Returns whether only the gateway sets a parameter, in any case of letters.
    package static func isReserved(_ name: String) -> Bool { reserved.contains(name.lowercased()) }
}

extension ProviderReader {
    typealias CodeFlow = Configuration.CodeFlow

    /// Reads the authorization-code flow. `nil` without a client credential.
    func codeFlow(
        of kind: Configuration.Provider.Kind, _ tokens: inout IDTokens?, _ opaque: OpaqueTokens?
    ) -> CodeFlow? {
        guard kind != .oauth, kind != .facebook else { return nil }
        guard var flow = client(of: kind, opaque) else {
            refuse(
                KnownKeys.ofFlows + (kind == .github ? ["user_url"] : []), "has no effect without a client credential",
                kind == .apple
                    ? "add client_id, team_id, key_id and private_key, or remove it"
                    : "add client_id and client_secret, or remove it")
            return nil
        }
        flow.endpoints = endpoints(of: kind, tokens) ?? flow.endpoints
        flow.needsPublicURL = kind != .github
        if kind == .github { flow.userURL = url("user_url", .readSecrets) ?? "https://api.github.com/user" }
        mapping.set(&flow.scopes, "scopes") { value in texts(value, scope) }
        mapping.set(&flow.parameters, "parameters", parameters)
        readRevocation(of: kind, &flow)
        return flow
    }

    /// Reads whether and where the user's tokens are revoked.
    private func readRevocation(of kind: Configuration.Provider.Kind, _ flow: inout CodeFlow) {
        mapping.set(&flow.revokesTokens, "revoke_at_provider") { $0.boolean() }
        let url = url("revocation_url", .readSecrets)
        guard flow.revokesTokens else {
            return refuse(
                ["revocation_url"], "has no effect without revoke_at_provider: true",
                "add revoke_at_provider: true, or remove it")
        }
        flow.revocationURL = url ?? Self.revocationURL(of: kind, flow)
        guard flow.revocationURL == nil else { return }
        if case .discovery = flow.endpoints { return }
        mapping.fail(
            "revoke_at_provider", "\(name).revoke_at_provider: the URL that revokes tokens is not known",
            kind == .microsoft
                ? "remove it; Microsoft revokes no tokens of single apps"
                : "add revocation_url: https://HOST/PATH (RFC 7009)")
    }

    /// The built-in URL. `nil` without one.
    private static func revocationURL(of kind: Configuration.Provider.Kind, _ flow: CodeFlow) -> String? {
        switch kind {
        case .google: return "https://oauth2.googleapis.com/revoke"
        case .apple: return "https://appleid.apple.com/auth/revoke"
        case .github:
            guard let user = flow.userURL, user.hasSuffix("/user") else { return nil }
            return "\(user.dropLast("/user".count))/applications/\(flow.clientID)/grant"
        case .microsoft, .yahoo, .linkedin, .facebook, .oidc, .oauth: return nil
        }
    }

    private func client(of kind: Configuration.Provider.Kind, _ opaque: OpaqueTokens?) -> CodeFlow? {
        let scopes = Self.scopes(of: kind)
        let none = CodeFlow.Endpoints.urls(authorization: "", token: "")
        if let opaque {
            return CodeFlow(
                clientID: opaque.clientID, credential: .secret(opaque.clientSecret), endpoints: none, scopes: scopes)
        }
        let keys = kind == .apple ? ["client_id", "team_id", "key_id", "private_key"] : KnownKeys.ofClient
        guard keys.contains(where: { mapping.value($0) != nil }) else { return nil }
        let id = clientID("client_id", "add client_id: ID, the gateway's client id at the provider") ?? ""
        guard kind == .apple else {
            return CodeFlow(
                clientID: id, credential: .secret(clientSecret("add client_secret, the secret of that client")),
                endpoints: none, scopes: scopes)
        }
        let team = clientID("team_id", "add team_id: ID of your Apple developer team") ?? ""
        let key = clientID("key_id", "add key_id: ID of the key for Sign in with Apple") ?? ""
        let file = mapping.required("private_key", "add private_key: FILE, the key that Apple gave you")?.path() ?? ""
        return CodeFlow(
            clientID: id, credential: .signed(team: team, keyID: key, file: file), endpoints: none, scopes: scopes)
    }

    private static func scopes(of kind: Configuration.Provider.Kind) -> [String] {
        switch kind {
        case .apple: ["name", "email"]
        case .github: ["read:user", "user:email"]
        default: ["openid", "profile", "email"]
        }
    }

    /// Returns the configured or built-in URLs. `nil` after an error.
    private func endpoints(of kind: Configuration.Provider.Kind, _ tokens: IDTokens?) -> CodeFlow.Endpoints? {
        let (authorization, token) = (
            url("authorization_url", .readSecrets), url("token_url", .readSecrets)
        )
        if let (known, knownToken) = Self.endpoints(of: kind, tokens) {
            return .urls(authorization: authorization ?? known, token: token ?? knownToken)
        }
        switch (authorization, token) {
        case (let authorization?, let token?): return .urls(authorization: authorization, token: token)
        case (nil, nil):
            guard case .discovery(let url, let issuer)? = tokens?.keys else {
                mapping.context.fail(
                    mapping.location, "\(name) has keys_url but no authorization_url and token_url",
                    "add both, or use the discovery document")
                return nil
            }
            return .discovery(url: url, issuer: issuer)
        default:
            mapping.context.fail(
                mapping.location, "\(name) has only one of authorization_url and token_url", "add the other one")
            return nil
        }
    }

    private static func endpoints(
        of kind: Configuration.Provider.Kind, _ tokens: IDTokens?
    ) -> (String, String)? {
        switch kind {
        case .google: ("https://accounts.google.com/o/oauth2/v2/auth", "https://oauth2.googleapis.com/token")
        case .apple: ("https://appleid.apple.com/auth/authorize", "https://appleid.apple.com/auth/token")
        case .github:
            ("https://github.com/login/oauth/authorize", "https://github.com/login/oauth/access_token")
        case .microsoft: microsoftEndpoints(tokens?.tenants ?? [])
        case .yahoo:
            ("https://api.login.yahoo.com/oauth2/request_auth", "https://api.login.yahoo.com/oauth2/get_token")
        case .linkedin:
            ("https://www.linkedin.com/oauth/v2/authorization", "https://www.linkedin.com/oauth/v2/accessToken")
        case .facebook, .oidc, .oauth: nil
        }
    }

    /// Returns the endpoints for the kinds of accounts among the tenants. Empty tenants are all organizations.
    private static func microsoftEndpoints(_ tenants: [String]) -> (String, String) {
        let hasPersonal = tenants.contains(TenantID.personalAccounts)
        let segment =
            switch (tenants.count, hasPersonal) {
            case (1, true): "consumers"
            case (1, false): tenants[0]
            case (_, true): "common"
            case (_, false): "organizations"
            }
        let base = "https://login.microsoftonline.com/\(segment)/oauth2/v2.0"
        return ("\(base)/authorize", "\(base)/token")
    }

    private func scope(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 256) else { return nil }
        guard text.utf8.allSatisfy(ScopeToken.allows) else {
            return value.fail("\(value.name) is \(value.shown), not a scope", "write one scope without spaces")
        }
        return text
    }

    private func parameters(_ value: ConfigurationValue) -> [CodeFlow.Parameter]? {
        guard let entries = value.entries() else { return nil }
        guard entries.count <= 32 else { return value.fail("\(value.name) has more than 32 entries", "remove some") }
        let parameters = entries.compactMap(parameter)
        return parameters.count == entries.count ? parameters : nil
    }

    private func parameter(_ entry: MappingEntry) -> CodeFlow.Parameter? {
        guard !CodeFlow.isReserved(entry.key) else {
            entry.fail("\(entry.value.name) is a parameter that only the gateway sets", "remove it")
            return nil
        }
        guard (1...64).contains(entry.key.utf8.count), entry.key.utf8.allSatisfy(Self.continuesParameter) else {
            entry.fail("\(Quoted(entry.key)) is not the name of a parameter", "write letters, digits, '_', '-' and '.'")
            return nil
        }
        return entry.value.string(atMost: 1_024).map { CodeFlow.Parameter(name: entry.key, value: $0) }
    }

    private static func continuesParameter(_ byte: UInt8) -> Bool {
        ClaimPathParser.continuesName(byte) || "-.".utf8.contains(byte)
    }
}
