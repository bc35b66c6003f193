import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse

@Suite struct ProviderWarningTests {
    static let apple = "apple.com: { audiences: a }"
    static let github = "github.com: { client_id: a, client_secret: b }"
    static let oauth =
        "oauth.x: { introspection_url: 'https://a.b/i', client_id: a, client_secret: b, audiences: a }"

    /// The warnings of one route, whose keys begin on line 5, in a file with these providers.
    private func warnings(_ providers: [String], firebase: Bool = false, _ route: String) throws -> [String] {
        let identity =
            (firebase ? ["firebase: { project: demo }"] : [])
            + ["providers: { \(providers.joined(separator: ", ")) }"]
        let yaml = BrokenConfiguration.beforeRoute.replacing(
            "firebase: { project: demo }", with: identity.joined(separator: ", "))
        let lines = route.split(separator: "\n").map { "    \($0)\n" }.joined()
        return try ConfigurationTesting.load(yaml + lines).warnings.map {
            "\($0.location.line):\($0.location.column) \($0.what); \($0.remedy)"
        }
    }

    @Test func `plain HTTP has a warning and is listed as insecure`() throws {
        let configuration = try ConfigurationTesting.load(
            section: """
                identity:
                  providers:
                    oidc.a: { issuer: http://id.example, audiences: a, insecure_http: true }
                    oauth.b:
                      { introspection_url: http://as.example/, client_id: a, client_secret: b, audiences: c, insecure_http: true }
                """)
        #expect(configuration.warnings.map(\.location.line) == [3, 5])
        #expect(
            configuration.warnings.map(\.what) == [
                "keys may be fetched without TLS, where an attacker on the network can replace them",
                "tokens and secrets may be sent without TLS, where an attacker on the network can read them",
            ])
        #expect(
            configuration.insecureOptions == [
                "identity.providers.oidc.a.insecure_http", "identity.providers.oauth.b.insecure_http",
            ])
    }

    @Test func `opaque tokens of ambiguous providers have a warning`() throws {
        let expected =
            "opaque tokens are rejected here, since github.com or oauth.x could have issued them; list only one of them"
        let providers = [Self.apple, Self.github, Self.oauth]
        #expect(try warnings(providers, "path: /").first?.hasPrefix("5:11 \(expected)") == true)
        let named = try warnings(providers, "path: /\nproviders: [apple.com, github.com, oauth.x]")
        #expect(named.count == 1 && named[0].hasPrefix("6:5 \(expected)"))
    }

    @Test(arguments: ["auth: none", "providers: [github.com, apple.com]", "providers: [apple.com]"])
    func `an unambiguous provider has no warning`(_ condition: String) throws {
        #expect(try warnings([Self.apple, Self.github, Self.oauth], "path: /\n\(condition)").isEmpty)
    }

    @Test func `one opaque provider needs no name`() throws {
        #expect(try warnings([Self.apple, Self.github], "path: /").isEmpty)
    }

    @Test(arguments: [
        (true, "google", "6:5 no configured provider is 'google'; did you mean 'google.com'?"),
        (true, "oauth.y", "6:5 no configured provider is 'oauth.y'; remove it, or add it to identity.providers"),
        (false, "google.com", "6:5 no configured provider is 'google.com'; remove it, or add it"),
        (false, "oauth.y", "6:5 no configured provider is 'oauth.y'; did you mean 'oauth.x'?"),
    ]) func `an unknown provider has a warning`(_ firebase: Bool, _ id: String, _ expected: String) throws {
        let warnings = try warnings(
            firebase ? [Self.apple] : [Self.apple, Self.oauth], firebase: firebase, "path: /\nproviders: [\(id)]")
        #expect(warnings.count == 1 && warnings[0].hasPrefix(expected), "\(warnings)")
    }

    @Test(arguments: ["google.com", "password", "saml.corp", "oidc.corp", "oauth.x"])
    func `known providers have no warning`(_ id: String) throws {
        #expect(try warnings([Self.oauth], firebase: true, "path: /\nproviders: [\(id)]").isEmpty)
    }

    @Test func `scopes without access tokens have a warning`() throws {
        let warnings = try warnings([Self.apple], "path: /\nscopes: [read]")
        #expect(
            warnings.map { $0.prefix(68) } == ["6:5 no configured token has scopes, so every request is denied; add "])
        #expect(try self.warnings([Self.github], "path: /\nscopes: [read]").isEmpty)
    }
}
