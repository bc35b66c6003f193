internal import JOSE

/// An identity provider that issues ID tokens, replaced by the development provider.
///
/// Its endpoints are ``DevelopmentProvider/Endpoint/keys(_:)`` and ``DevelopmentProvider/Endpoint/discovery(_:)``. Each
/// provider has its own signing keys.
public enum IdentityProvider: Sendable, Hashable {
    case apple
    case google
    case microsoft
    /// Limited Login.
    case facebook
    case yahoo
    case linkedIn
    /// `oidc.NAME`: any OpenID Connect provider. NAME is 1 to 64 letters, digits, `-`, `_` and `.`.
    case oidc(String)

    /// All providers except `oidc.NAME`.
    public static let wellKnown: [IdentityProvider] = [.apple, .google, .microsoft, .facebook, .yahoo, .linkedIn]

    /// The provider's ID, for example `apple.com` or `oidc.corp`.
    public var id: String {
        switch self {
        case .apple: "apple.com"
        case .google: "google.com"
        case .microsoft: "microsoft.com"
        case .facebook: "facebook.com"
        case .yahoo: "yahoo.com"
        case .linkedIn: "linkedin.com"
        case .oidc(let name): "oidc." + name
        }
    }

    /// Creates the provider with an ID. `nil` if it issues no ID tokens.
    public init?(id: String) {
        if let known = Self.wellKnown.first(where: { $0.id == id }) {
            self = known
        } else if id.hasPrefix("oidc."), Self.isName(id.dropFirst(5)) {
            self = .oidc(String(id.dropFirst(5)))
        } else {
            return nil
        }
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}

extension IdentityProvider {
    /// The real `iss` of the provider's tokens. For Microsoft it is the template with `{tenantid}`.
    ///
    /// `oidc.NAME` has none: a running provider is its own issuer (``DevelopmentProvider/issuer(of:)``).
    public var issuer: String {
        switch self {
        case .apple: "https://appleid.apple.com"
        case .google: "https://accounts.google.com"
        case .microsoft: Self.microsoftIssuer(tenant: "{tenantid}")
        case .facebook: "https://www.facebook.com"
        case .yahoo: "https://api.login.yahoo.com"
        case .linkedIn: "https://www.linkedin.com/oauth"
        case .oidc(let name): "https://\(name).example"
        }
    }

    /// Returns the `iss` of Microsoft's tokens of version 2.0 in a tenant.
    public static func microsoftIssuer(tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

    /// The default `aud` of tokens, in the provider's form.
    public var demoAudience: String {
        switch self {
        case .apple: "com.example.gatehouse"
        case .google: "123456789012-gatehouse.apps.googleusercontent.com"
        case .microsoft: "7b1e0c52-4f4b-4f3a-9a51-0c5d4b8f6e21"
        case .facebook: "1234567890123456"
        case .yahoo: "dj0yJmk9Z2F0ZWhvdXNl"
        case .linkedIn: "78gatehouse0"
        case .oidc: "gatehouse"
        }
    }

    /// The algorithms of its keys, in the order of publication. The last one signs.
    var keyAlgorithms: [Algorithm] {
        switch self {
        case .microsoft: [.rs256, .rs256]
        case .yahoo: [.rs256, .es256]
        default: [.rs256]
        }
    }
}

extension IdentityProvider {
    /// Returns the discovery document of a provider (OpenID Connect Discovery 1.0 section 3). `base` is the URL of the
    /// development provider.
    func discoveryDocument(base: String) -> JSONObject {
        let algorithms = keyAlgorithms == [.rs256, .es256] ? ["ES256", "RS256"] : ["RS256"]
        let issuer = issuer(base: base)
        let server = AuthorizationServer.identity(self)
        let authorization = DevelopmentProvider.Endpoint.authorization(server)
        let namesIssuer = server.issuer(base: base) != nil
        return [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(base + authorization.rawValue),
            "token_endpoint": .string(base + DevelopmentProvider.Endpoint.token(server).rawValue),
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": .bool(namesIssuer),
            "jwks_uri": .string(base + DevelopmentProvider.Endpoint.keys(self).rawValue),
            "response_types_supported": ["code", "id_token"],
            "subject_types_supported": [self == .microsoft ? "pairwise" : "public"],
            "id_token_signing_alg_values_supported": .array(algorithms.map(JSON.string)),
            "scopes_supported": ["openid", "profile", "email"],
        ]
    }

    /// Returns the issuer of a development provider's tokens: the real one, or for `oidc.NAME` the base URL of its
    /// discovery document.
    func issuer(base: String) -> String {
        if case .oidc(let name) = self { return "\(base)/oidc/\(name)" }
        return issuer
    }
}
