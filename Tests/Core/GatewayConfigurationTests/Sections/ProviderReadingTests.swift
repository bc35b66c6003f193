import GatewayCore
import JOSE
import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration
@testable import SystemFixtures

/// The values of valid entries of `identity.providers`.
@Suite struct ProviderReadingTests {
    private func provider(_ id: String, _ value: String) throws -> Configuration.Provider {
        let configuration = try ConfigurationTesting.load(section: "identity: { providers: { \(id): \(value) } }")
        #expect(configuration.warnings.isEmpty)
        return try #require(configuration.identity.providers.first)
    }

    static let wellKnown: [(id: String, issuers: [String], keys: Configuration.Provider.Keys)] = [
        (
            "apple.com", ["https://appleid.apple.com", "https://account.apple.com"],
            .url("https://appleid.apple.com/auth/keys")
        ),
        (
            "google.com", ["https://accounts.google.com", "accounts.google.com"],
            .url("https://www.googleapis.com/oauth2/v3/certs")
        ),
        ("yahoo.com", ["https://api.login.yahoo.com"], .url("https://api.login.yahoo.com/openid/v1/certs")),
        (
            "linkedin.com", ["https://www.linkedin.com/oauth"],
            .discovery(
                url: "https://www.linkedin.com/oauth/.well-known/openid-configuration",
                issuer: "https://www.linkedin.com/oauth")
        ),
    ]

    @Test(arguments: wellKnown)
    func `a provider needs only its audience`(id: String, issuers: [String], keys: Configuration.Provider.Keys) throws {
        let provider = try provider(id, "{ audiences: app }")
        #expect(provider.id == id && provider.kind.rawValue == id && provider.opaqueTokens == nil)
        #expect(provider.idTokens == .init(issuers: issuers, audiences: ["app"], keys: keys))
        #expect(provider.location == .init(file: "gatehouse.yaml", line: 1, column: 26))
    }

    @Test func `the Microsoft issuer is a template`() throws {
        let tokens = try #require(
            try provider("microsoft.com", "{ audiences: a, tenants: 9188040D-6c67-4c5b-b112-36a304b66dad }").idTokens)
        #expect(tokens.issuers == ["https://login.microsoftonline.com/{tenantid}/v2.0"])
        #expect(tokens.keys == .url("https://login.microsoftonline.com/common/discovery/v2.0/keys"))
        #expect(tokens.tenants == ["9188040d-6c67-4c5b-b112-36a304b66dad"])
    }

    @Test(arguments: ["'*'", "['*']"]) func `any tenant is an empty list`(_ tenants: String) throws {
        let provider = try provider("microsoft.com", "{ audiences: a, tenants: \(tenants) }")
        #expect(provider.idTokens?.tenants == [])
    }

    @Test func `every key of ID tokens is read`() throws {
        let tokens = try #require(
            try provider(
                "google.com",
                """
                { audiences: [a, b], authorized_parties: c, issuer: 'http://127.0.0.1:9/g', keys_url: 'http://[::1]/k',
                  algorithms: [ES256, EdDSA], second_factor: { amr: mfa, acr: [urn:a, urn:b] }, hosted_domain: Example.COM }
                """
            ).idTokens)
        var expected = Configuration.Provider.IDTokens(
            issuers: ["http://127.0.0.1:9/g"], audiences: ["a", "b"], keys: .url("http://[::1]/k"))
        expected.authorizedParties = ["c"]
        expected.algorithms = [.es256, .edDSA]
        expected.secondFactor.amr = ["mfa"]
        expected.secondFactor.acr = ["urn:a", "urn:b"]
        expected.hostedDomain = "example.com"
        #expect(tokens == expected)
    }

    static let discovered: [(keys: String, expected: Configuration.Provider.Keys)] = [
        ("", .discovery(url: "https://id.example/t/.well-known/openid-configuration", issuer: "https://id.example/t/")),
        (
            ", discovery_url: 'https://b.example/d'",
            .discovery(url: "https://b.example/d", issuer: "https://id.example/t/")
        ),
        (", keys_url: 'https://b.example/k'", .url("https://b.example/k")),
    ]

    @Test(arguments: discovered)
    func `keys are discovered unless configured`(keys: String, expected: Configuration.Provider.Keys) throws {
        let provider = try provider("oidc.a-1", "{ audiences: a, issuer: 'https://id.example/t/'\(keys) }")
        #expect(provider.kind == .oidc && provider.id == "oidc.a-1")
        #expect(provider.idTokens?.keys == expected && provider.idTokens?.issuers == ["https://id.example/t/"])
    }

    @Test func `Facebook access tokens need the app secret`() throws {
        let plain = try provider("facebook.com", "{ app_id: '1' }")
        #expect(plain.idTokens?.issuers == ["https://www.facebook.com", "https://limited.facebook.com"])
        #expect(plain.idTokens?.audiences == ["1"] && plain.opaqueTokens == nil)
        #expect(plain.idTokens?.keys == .url("https://limited.facebook.com/.well-known/oauth/openid/jwks/"))
        let secret = try provider("facebook.com", "{ app_id: '1', app_secret: x }").opaqueTokens
        let url = "https://graph.facebook.com/debug_token"
        #expect(secret == .init(url: url, clientID: "1", clientSecret: Secret("x")))
    }

    @Test func `GitHub has no ID tokens`() throws {
        let provider = try provider("github.com", "{ client_id: Iv1.a, client_secret: 12345 }")
        let url = "https://api.github.com/applications/{client_id}/token"
        #expect(provider.opaqueTokens == .init(url: url, clientID: "Iv1.a", clientSecret: Secret("12345")))
        #expect(provider.idTokens == nil)
    }

    @Test func `every key of introspection is read`() throws {
        let tokens = try provider(
            "oauth.legacy",
            """
            { introspection_url: 'https://as.example/i?x=1', client_id: gw, client_secret: s, audiences: api, issuer: legacy,
              client_authentication: post, cache_for: 0s, cache_refused_for: 5m, concurrency: 256, rate: 1, timeout: 10ms }
            """
        ).opaqueTokens
        var expected = Configuration.Provider.OpaqueTokens(
            url: "https://as.example/i?x=1", clientID: "gw", clientSecret: Secret("s"))
        expected.clientAuthentication = .post
        expected.audiences = ["api"]
        expected.issuer = "legacy"
        expected.cacheFor = .zero
        expected.cacheRefusedFor = .seconds(300)
        expected.concurrency = 256
        expected.rate = 1
        expected.timeout = .milliseconds(10)
        #expect(tokens == expected)
    }

    @Test func `providers keep their order`() throws {
        let ids = ["yahoo.com", "apple.com", "linkedin.com"]
        let entries = ids.map { "\($0): { audiences: a }" }.joined(separator: ", ")
        let configuration = try ConfigurationTesting.load(section: "identity: { providers: { \(entries) } }")
        #expect(configuration.identity.providers.map(\.id) == ids)
    }

    @Test func `a route that requires a credential needs one provider`() throws {
        let yaml = BrokenConfiguration.beforeRoute
            .replacing("firebase: { project: demo }", with: "providers: { apple.com: { audiences: a } }")
        #expect(try ConfigurationTesting.load(yaml + "    path: /\n").routes.count == 1)
    }

    @Test(arguments: Configuration.Provider.Kind.allCases)
    func `no pair of keys traps, whatever the kind of provider`(kind: Configuration.Provider.Kind) {
        let id = kind == .oidc || kind == .oauth ? "\(kind.rawValue).a" : kind.rawValue
        let keys = Set(Configuration.Provider.Kind.allCases.flatMap(\.keys.supported)).sorted()
        let client = "client_id: a, client_secret: b, "
        let pairs = keys.flatMap { first in keys.filter { $0 > first }.map { (first, $0) } }
        for base in ["", "audiences: a, ", client, "app_id: 'a', app_secret: b, "] {
            let free = pairs.filter { !base.contains("\($0):") && !base.contains("\($1):") }
            for (first, second) in free.sample(oneOf: 8) {
                // Whether it is valid does not matter.
                _ = try? ConfigurationTesting.load(
                    section: "identity: { providers: { \(id): { \(base)\(first): a, \(second): 'https://a.b' } } }")
            }
        }
    }

    @Test(arguments: ["http://api.example.com", "http://10.0.0.1:8080"])
    func `a public URL needs TLS, except on this machine`(url: String) throws {
        func load(_ url: String) throws -> Configuration {
            try ConfigurationTesting.load(
                section: "identity: { firebase: { project: my-app } }\naccounts: { public_url: '\(url)' }")
        }
        #expect(throws: ConfigurationErrors.self) { try load(url) }
        #expect(try load("http://127.0.0.1:8080").accounts?.publicURL == "http://127.0.0.1:8080")
    }
}
