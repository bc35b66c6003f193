internal import JOSE

/// An identity provider that issues ID tokens and that the development provider stands in for.
///
/// Its endpoints are ``DevelopmentProvider/Endpoint/keys(_:)`` and ``DevelopmentProvider/Endpoint/discovery(_:)``; each
/// has signing keys of its own.
public enum IdentityProvider: Sendable, Hashable {
    case apple
    case google
    case microsoft
    /// Limited Login.
    case facebook
    case yahoo
    case linkedIn
    /// `oidc.NAME`, any OpenID Connect provider. NAME is 1 to 64 letters, digits, `-`, `_` and `.`.
    case oidc(String)

    /// Those that have a name of their own.
    public static let wellKnown: [IdentityProvider] = [.apple, .google, .microsoft, .facebook, .yahoo, .linkedIn]

    /// The provider's id, such as `apple.com` or `oidc.corp`.
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

    /// The provider of an id; `nil` for one that issues no ID tokens.
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
    /// The real `iss` of the provider's tokens; Microsoft's is the template with `{tenantid}`.
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

    /// The `iss` of Microsoft's tokens of version 2.0 in a tenant.
    public static func microsoftIssuer(tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

    /// The `aud` of tokens unless another is asked for, in the provider's form.
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

    /// The algorithms of its keys, in the order of publishing; the last one signs.
    var keyAlgorithms: [Algorithm] {
        switch self {
        case .microsoft: [.rs256, .rs256]
        case .yahoo: [.rs256, .es256]
        default: [.rs256]
        }
    }
}

extension IdentityProvider {
    /// The discovery document (OpenID Connect Discovery 1.0 section 3) of a provider that `base` stands in for.
    ///
    /// - Parameter base: the URL of the development provider.
    func discoveryDocument(base: String) -> JSONObject {
        let algorithms = keyAlgorithms == [.rs256, .es256] ? ["ES256", "RS256"] : ["RS256"]
        let issuer = issuer(base: base)
        return [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"),
            "jwks_uri": .string(base + DevelopmentProvider.Endpoint.keys(self).rawValue),
            "response_types_supported": ["code", "id_token"],
            "subject_types_supported": [self == .microsoft ? "pairwise" : "public"],
            "id_token_signing_alg_values_supported": .array(algorithms.map(JSON.string)),
            "scopes_supported": ["openid", "profile", "email"],
        ]
    }

    /// The issuer of tokens from a development provider: the real one, of `oidc.NAME` where its discovery document is.
    func issuer(base: String) -> String {
        if case .oidc(let name) = self { return "\(base)/oidc/\(name)" }
        return issuer
    }
}
