package import GatewayConfiguration
import GatewayCore
package import JOSE

/// A provider with an authorization-code flow, of which the gateway is the client.
package struct FlowProvider: Sendable {
    /// The provider's ID, which is also the context of its callback.
    let id: String
    let kind: Configuration.Provider.Kind
    let clientID: String
    let authentication: ClientAuthentication
    let endpoints: Configuration.CodeFlow.Endpoints
    /// GitHub: the URL of the user's profile.
    let userURL: String
    let scopes: [String]
    let parameters: [Configuration.CodeFlow.Parameter]
    /// The accepted values of `iss` in the response, if present. Microsoft's is a template.
    let issuers: [String]
    /// Whether tokens are kept, and revoked when the identity is unlinked.
    let revokesTokens: Bool
    /// The URL that revokes tokens. `nil` for that of the discovery document.
    let revocationURL: String?

    /// Creates the provider. `nil` without a flow, and without the key of its client secret.
    ///
    /// - Parameter key: The key that signs Apple's client secret.
    package init?(_ provider: Configuration.Provider, key: SigningKey?) {
        guard let flow = provider.codeFlow else { return nil }
        id = provider.id
        kind = provider.kind
        clientID = flow.clientID
        switch flow.credential {
        case .secret(let secret): authentication = .secret(secret)
        case .signed(let team, let keyID, _):
            guard let key else { return nil }
            authentication = .signed(AppleClientSecret(team: team, keyID: keyID, clientID: flow.clientID, key: key))
        }
        endpoints = flow.endpoints
        userURL = flow.userURL ?? ""
        scopes = flow.scopes
        parameters = flow.parameters
        (revokesTokens, revocationURL) = (flow.revokesTokens, flow.revocationURL)
        issuers = provider.idTokens?.issuers ?? Self.gitHubIssuers(flow.endpoints)
    }

    /// Returns GitHub's `iss`, and that of an Enterprise Server: the authorization URL without its last segment.
    private static func gitHubIssuers(_ endpoints: Configuration.CodeFlow.Endpoints) -> [String] {
        let known = ["https://github.com/login/oauth"]
        guard case .urls(let authorization, _) = endpoints, authorization.hasSuffix("/authorize") else { return known }
        return known + [String(authorization.dropLast("/authorize".count))]
    }

    /// The ID of the key that signs client secrets. `nil` without one.
    package var keyID: String? {
        guard case .signed(let secret) = authentication else { return nil }
        return secret.key.keyID
    }

    /// The authentication of the gateway at the token endpoint.
    enum ClientAuthentication: Sendable {
        case secret(Secret)
        case signed(AppleClientSecret)
    }
}

// The properties of each kind.
extension FlowProvider {
    /// Whether PKCE is used (RFC 7636). LinkedIn's endpoint does not know it; others ignore what they do not know.
    var usesPKCE: Bool { kind != .linkedin }

    /// Whether the token response has an ID token.
    var hasIDToken: Bool { kind != .github }

    /// Whether the ID token must contain the nonce. LinkedIn's does not.
    var requiresNonce: Bool { kind != .linkedin }

    /// Whether the response is a POST of the provider's page (OAuth 2.0 Form Post Response Mode). Apple requires it
    /// with any scope.
    var postsForm: Bool { kind == .apple }

    /// The parameters that a caller may add to the authorization URL.
    var callerParameters: Set<String> {
        switch kind {
        case .google: ["prompt", "hl"]
        case .apple: ["locale"]
        case .microsoft: ["prompt", "domain_hint", "ui_locales"]
        case .github: ["prompt", "allow_signup"]
        case .yahoo: ["prompt", "language"]
        case .oidc: ["prompt", "ui_locales"]
        case .linkedin, .facebook, .oauth: []
        }
    }

    /// Returns the parameters that ask the provider for a new sign-in of the user with this subject.
    func reauthenticationParameters(subject: String?) -> [Configuration.CodeFlow.Parameter] {
        let window = "\(AccountDenial.recentSignIn)"
        let pairs: [(String, String)] =
            switch kind {
            case .google: [("prompt", "select_account")] + (subject.map { [("login_hint", $0)] } ?? [])
            case .microsoft, .yahoo: [("prompt", "login"), ("max_age", window)]
            case .github: [("prompt", "select_account")]
            case .oidc: [("max_age", window)]
            case .apple, .linkedin, .facebook, .oauth: []
            }
        return pairs.map { Configuration.CodeFlow.Parameter(name: $0.0, value: $0.1) }
    }

    /// Whether a new sign-in must be stated as `auth_time` (OpenID Connect Core 1.0 section 3.1.2.1). The request for
    /// it is in a URL that the user can change.
    var statesAuthentication: Bool { kind == .oidc || kind == .microsoft }

    /// Returns whether `iss` of a response names this provider.
    func isIssuer(_ issuer: String) -> Bool {
        issuers.contains { expected in
            guard let range = expected.firstRange(of: "{tenantid}") else {
                return expected.utf8.elementsEqual(issuer.utf8)
            }
            let (start, end) = (expected[..<range.lowerBound], expected[range.upperBound...])
            guard issuer.utf8.starts(with: start.utf8), issuer.hasSuffix(end) else { return false }
            return TenantID.isValid(String(issuer.dropFirst(start.count).dropLast(end.count)))
        }
    }
}

/// Apple's client secret: a token that the gateway signs for each request ("Creating a client secret").
struct AppleClientSecret: Sendable {
    /// The lifetime, in seconds.
    private static let lifetime: Int64 = 300

    let team: String
    let keyID: String
    let clientID: String
    let key: SigningKey

    func text(now: UnixTime) throws(AccountDenial) -> String {
        var claims = ObjectText()
        claims.add("iss", team)
        claims.add("sub", clientID)
        claims.add("aud", "https://appleid.apple.com")
        claims.add("iat", now)
        claims.add("exp", now.adding(Self.lifetime))
        var header = ObjectText()
        header.add("alg", key.algorithm.rawValue)
        header.add("kid", keyID)
        do {
            return try key.sign(header: String(decoding: header.bytes, as: UTF8.self), payload: claims.bytes)
        } catch {
            throw AccountDenial(.internalError, reason: error.description)
        }
    }
}
