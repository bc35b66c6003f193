internal import TextCoding

extension DevelopmentProvider {
    /// The endpoints of the provider, by their paths at the original services.
    ///
    /// Requests are counted per endpoint (``calls(to:)``). Paths that would collide have a prefix with the provider's
    /// name: `/apple/auth/keys`.
    public enum Endpoint: Sendable, Hashable {
        /// The keys of Firebase ID tokens as a JWK set.
        case idTokenJWKSet
        /// The keys of Firebase ID tokens as an X.509 map.
        case idTokenX509
        /// The keys of session cookies as an X.509 map.
        case sessionX509
        /// The keys of session cookies as a JWK set.
        case sessionJWKSet
        /// The JWK set of an identity provider.
        case keys(IdentityProvider)
        /// The discovery document of an identity provider.
        case discovery(IdentityProvider)
        /// RFC 7662 introspection of ``OpaqueToken``s.
        case introspection
        /// GitHub's token check. Path and URL are templates with `{client_id}`.
        case gitHubTokenCheck
        /// Facebook's `debug_token`.
        case facebookDebugToken
        /// Identity Toolkit's lookup of ``DevelopmentAccount``s. Path and URL are templates with `{project}`. Lookups
        /// in a tenant, `/v1/projects/{project}/tenants/{tenant}/accounts:lookup`, are included in the count.
        case accountsLookup
        /// Firebase's replay protection of App Check tokens. Path and URL are templates with `{project}`.
        case appCheckConsumption
        /// The OAuth token endpoint, for ``ServiceAccount``s (RFC 7523).
        case oauthToken
        /// The authorization endpoint of a provider.
        case authorization(AuthorizationServer)
        /// The token endpoint of a provider, for authorization codes.
        case token(AuthorizationServer)
        /// GitHub's profile of the user, and the user's addresses.
        case gitHubUser
        case gitHubEmails
        /// Minting: POST a JSON object to receive a token.
        case mint
    }
}

extension DevelopmentProvider.Endpoint: CaseIterable {
    /// All endpoints except those for `oidc.NAME`, which are unlimited.
    public static let allCases: [DevelopmentProvider.Endpoint] =
        [
            .idTokenJWKSet, .idTokenX509, .sessionX509, .sessionJWKSet, .introspection, .gitHubTokenCheck,
            .facebookDebugToken, .accountsLookup, .appCheckConsumption, .oauthToken, .mint, .authorization(.gitHub),
            .token(.gitHub),
            .gitHubUser, .gitHubEmails,
        ]
        + IdentityProvider.wellKnown.flatMap { provider in
            [.keys(provider), .discovery(provider)]
                + [.authorization(.identity(provider)), .token(.identity(provider))]
        }
}

extension DevelopmentProvider.Endpoint: RawRepresentable {
    /// The path.
    public var rawValue: String {
        switch self {
        case .idTokenJWKSet: "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        case .idTokenX509: "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
        case .sessionX509: "/identitytoolkit/v3/relyingparty/publicKeys"
        case .sessionJWKSet: "/v1/sessionCookiePublicKeys"
        case .keys(let provider): provider.keysPath
        case .discovery(let provider): provider.discoveryPath
        case .introspection: "/introspect"
        case .gitHubTokenCheck: "/applications/{client_id}/token"
        case .facebookDebugToken: "/debug_token"
        case .accountsLookup: "/v1/projects/{project}/accounts:lookup"
        case .appCheckConsumption: "/v1beta/projects/{project}:verifyAppCheckToken"
        case .oauthToken: "/token"
        case .mint: "/mint"
        case .authorization(.identity(let provider)): provider.folder + "/authorize"
        case .token(.identity(let provider)): provider.folder + "/token"
        case .authorization(.gitHub): "/github/login/oauth/authorize"
        case .token(.gitHub): "/github/login/oauth/access_token"
        case .gitHubUser: "/github/user"
        case .gitHubEmails: "/github/user/emails"
        }
    }

    /// Returns the endpoint of a path.
    public init?(rawValue path: String) {
        if let endpoint = Self.byPath[path] ?? Self.generic(path) {
            self = endpoint
        } else {
            return nil
        }
    }

    private static let byPath = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// Returns the endpoint of a path with a variable part.
    private static func generic(_ path: String) -> Self? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.count >= 3, let first = segments.first else { return nil }
        switch first {
        case "oidc": return oidc(path, name: segments[2])
        case "applications": return segments.count == 3 && segments[3] == "token" ? .gitHubTokenCheck : nil
        case "v1": return isLookup(segments) ? .accountsLookup : nil
        case "v1beta":
            let isConsumption =
                segments.count == 3 && segments[2] == "projects" && segments[3].hasSuffix(":verifyAppCheckToken")
            return isConsumption ? .appCheckConsumption : nil
        default: return nil
        }
    }

    private static func isLookup(_ segments: ArraySlice<Substring>) -> Bool {
        let isOfTenant = segments.count == 6 && segments[4] == "tenants"
        return segments[2] == "projects" && (segments.count == 4 || isOfTenant)
            && segments.last.flatMap { PercentEncoding.decodedText($0.utf8) } == "accounts:lookup"
    }

    /// Returns the endpoint of a path below `/oidc/NAME/`.
    private static func oidc(_ path: String, name: Substring) -> Self? {
        guard let provider = IdentityProvider(id: "oidc.\(name)") else { return nil }
        let server = AuthorizationServer.identity(provider)
        return [.keys(provider), .discovery(provider), .authorization(server), .token(server)]
            .first { $0.rawValue == path }
    }
}

extension IdentityProvider {
    fileprivate var keysPath: String {
        switch self {
        case .apple: "/apple/auth/keys"
        case .google: "/google/oauth2/v3/certs"
        case .microsoft: "/microsoft/common/discovery/v2.0/keys"
        case .facebook: "/facebook/.well-known/oauth/openid/jwks/"
        case .yahoo: "/yahoo/openid/v1/certs"
        case .linkedIn: "/linkedin/oauth/openid/jwks"
        case .oidc(let name): "/oidc/\(name)/jwks"
        }
    }

    fileprivate var discoveryPath: String { folder + "/.well-known/openid-configuration" }

    fileprivate var folder: String {
        switch self {
        case .apple: "/apple"
        case .google: "/google"
        case .microsoft: "/microsoft/common/v2.0"
        case .facebook: "/facebook"
        case .yahoo: "/yahoo"
        case .linkedIn: "/linkedin/oauth"
        case .oidc(let name): "/oidc/\(name)"
        }
    }
}
