import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Entries of `identity.providers` in YAML, with the development identity in place of each provider.
extension DevelopmentProvider {
    /// An entry for ID tokens of the provider, or for access tokens of Facebook.
    func entry(_ identity: IdentityProvider) -> String {
        let audience = identity.demoAudience
        let keys = "keys_url: '\(url(.keys(identity)))'"
        let members =
            switch identity {
            case .google: "audiences: ['\(audience)'], hosted_domain: example.com, \(keys)"
            case .microsoft:
                """
                audiences: ['\(audience)'], \(keys), tenants:
                    ['\(DevelopmentUser.microsoftTenant)', '\(DevelopmentUser.personalMicrosoftTenant)']
                """
            case .facebook:
                """
                app_id: '\(audience)', app_secret: facebook-secret, \(keys),
                    token_check_url: '\(url(.facebookDebugToken))'
                """
            case .linkedIn: "audiences: ['\(audience)'], discovery_url: '\(url(.discovery(identity)))'"
            case .oidc:
                """
                audiences: ['\(audience)'], issuer: '\(issuer(of: identity))',
                    second_factor: { amr: [mfa], acr: ['urn:loa:2'] }
                """
            case .apple, .yahoo: "audiences: ['\(audience)'], \(keys)"
            }
        return "\(identity.id): { \(members) }"
    }

    /// An entry for tokens of GitHub. The timeout is the longest that the gateway accepts, for slow machines.
    var gitHubEntry: String {
        """
        github.com: { client_id: Iv1.gatehouse, client_secret: github-secret, timeout: 5s,
            token_check_url: '\(url(.gitHubTokenCheck))' }
        """
    }

    /// An entry for tokens of the introspection endpoint.
    func introspectionEntry(
        _ name: String = "oauth.legacy", audience: String = "gatehouse", settings: String = "timeout: 5s"
    ) -> String {
        """
        \(name): { client_id: gatehouse, client_secret: introspection-secret, audiences: [\(audience)],
            introspection_url: '\(url(.introspection))', \(settings) }
        """
    }
}

extension GatewayConfiguration {
    /// Configures Firebase and these providers.
    mutating func identify(_ provider: DevelopmentProvider, keys: String = "{ stale_for: 24h }", _ entries: [String]) {
        self["identity"] = """
            { firebase: { project: demo-gatehouse, keys_url: '\(provider.url(.idTokenJWKSet))',
                session_keys_url: '\(provider.url(.sessionX509))' },
              keys: \(keys), providers: {
                \(entries.joined(separator: ",\n    ")) } }
            """
    }

    /// Configures Firebase and every provider.
    mutating func identifyAll(_ provider: DevelopmentProvider) {
        let issuers = IdentityProvider.wellKnown + [.oidc("corp"), .oidc("partner")]
        identify(provider, issuers.map(provider.entry) + [provider.gitHubEntry, provider.introspectionEntry()])
        routes += [
            "path: /github/**, providers: [github.com], upstream: api",
            "path: /facebook/**, providers: [facebook.com], upstream: api",
            "path: /legacy/**, providers: [oauth.legacy], upstream: api",
            "path: /google/**, providers: [google.com], upstream: api",
            "path: /recent-github/**, providers: [github.com], recent_sign_in: 5m, upstream: api",
            "path: /recent-legacy/**, providers: [oauth.legacy], recent_sign_in: 5m, upstream: api",
        ]
    }
}

extension Trait where Self == SharedScenarioTrait {
    /// One gateway for the whole suite, which accepts the tokens of every provider.
    static var everyProvider: Self { SharedScenarioTrait { $1.identifyAll($0) } }
}

extension IdentityProvider {
    /// The IDs of the providers whose ID tokens `identifyAll` accepts, as arguments of tests.
    static let tested = IdentityProvider.wellKnown.map(\.id) + ["oidc.corp"]

    static func named(_ id: String) throws -> IdentityProvider { try #require(IdentityProvider(id: id)) }
}

extension Scenario {
    /// A gateway with one introspection endpoint for opaque tokens.
    ///
    /// - Parameter settings: Additional members of the provider's entry. The default timeout is long, because tests
    ///   share two cores.
    static func introspecting(
        _ settings: String = "timeout: 5s", routes: [String] = [], _ body: (Scenario) async throws -> Void
    ) async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(provider, [provider.introspectionEntry(settings: settings)])
            configuration.routes += routes
        }) { try await body($0) }
    }

    /// Adds an opaque token to the introspection endpoint.
    func opaque(
        _ user: DevelopmentUser = .ada, text: String? = nil, _ change: (OpaqueToken) -> OpaqueToken = { $0 }
    ) throws -> OpaqueToken {
        let token = change(.introspected(for: user, text: text, now: provider.now))
        try provider.add(token)
        return token
    }

    /// Waits until a token passes, which ends an outage of its provider.
    func untilKnown(_ token: OpaqueToken, _ target: String = "/me/known") async throws {
        _ = try await eventually("\(token.kind) to pass") {
            try send(.bearer(token.text, target)).status == 200 ? true : nil
        }
    }

    /// Returns the access log line of a path that is requested only once.
    func logged(_ path: String) async throws -> JSON {
        try await eventually("the access log line of \(path)") {
            gateway.output.split(separator: "\n").lazy.compactMap { JSON(parsing: Array($0.utf8)) }
                .first { $0["path"] == .string(path) }
        }
    }
}

extension JSON {
    /// The same value with the members of each object sorted, for comparison.
    var sorted: JSON {
        switch self {
        case .object(let object):
            var sorted = JSONObject()
            for member in object.members.sorted(by: { $0.name < $1.name }) {
                sorted.append(member.name, member.value.sorted)
            }
            return .object(sorted)
        case .array(let elements): return .array(elements.map(\.sorted))
        default: return self
        }
    }
}
