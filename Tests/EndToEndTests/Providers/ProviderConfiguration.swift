import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Entries of `identity.providers` in YAML, with the development identity in the place of each provider.
extension DevelopmentProvider {
    /// The provider's ID tokens; Facebook's access tokens too.
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

    /// GitHub's tokens. The timeout is the longest that the gateway accepts, for busy machines.
    var gitHubEntry: String {
        """
        github.com: { client_id: Iv1.gatehouse, client_secret: github-secret, timeout: 5s,
            token_check_url: '\(url(.gitHubTokenCheck))' }
        """
    }

    /// Tokens that the introspection endpoint knows.
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
    /// Firebase and these providers.
    mutating func identify(_ provider: DevelopmentProvider, keys: String = "{ stale_for: 24h }", _ entries: [String]) {
        self["identity"] = """
            { firebase: { project: demo-gatehouse, keys_url: '\(provider.url(.idTokenJWKSet))',
                session_keys_url: '\(provider.url(.sessionX509))' },
              keys: \(keys), providers: {
                \(entries.joined(separator: ",\n    ")) } }
            """
    }

    /// Firebase and every provider that there is.
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
    /// One gateway for the whole suite that takes the tokens of every provider.
    static var everyProvider: Self { SharedScenarioTrait { $1.identifyAll($0) } }
}

extension IdentityProvider {
    /// Those whose ID tokens `identifyAll` lets count, by their ids: a test's arguments.
    static let tested = IdentityProvider.wellKnown.map(\.id) + ["oidc.corp"]

    static func named(_ id: String) throws -> IdentityProvider { try #require(IdentityProvider(id: id)) }
}

extension Scenario {
    /// A gateway with one introspection endpoint for opaque tokens.
    ///
    /// - Parameter settings: further members of the provider's entry. Tests share two cores: what is slow is not away.
    static func introspecting(
        _ settings: String = "timeout: 5s", routes: [String] = [], _ body: (Scenario) async throws -> Void
    ) async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(provider, [provider.introspectionEntry(settings: settings)])
            configuration.routes += routes
        }) { try await body($0) }
    }

    /// An opaque token that the introspection endpoint knows from now on.
    func opaque(
        _ user: DevelopmentUser = .ada, text: String? = nil, _ change: (OpaqueToken) -> OpaqueToken = { $0 }
    ) throws -> OpaqueToken {
        let token = change(.introspected(for: user, text: text, now: provider.now))
        try provider.add(token)
        return token
    }

    /// Waits until a token passes, which is the end of an outage of its provider.
    func untilKnown(_ token: OpaqueToken, _ target: String = "/me/known") async throws {
        _ = try await eventually("\(token.kind) to pass") {
            try send(.bearer(token.text, target)).status == 200 ? true : nil
        }
    }

    /// The line of the access log about a path that is asked for once.
    func logged(_ path: String) async throws -> JSON {
        try await eventually("the line of \(path)") {
            gateway.output.split(separator: "\n").lazy.compactMap { JSON(parsing: Array($0.utf8)) }
                .first { $0["path"] == .string(path) }
        }
    }
}

extension JSON {
    /// The same value with the members of each object in one order, so that order does not matter.
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
