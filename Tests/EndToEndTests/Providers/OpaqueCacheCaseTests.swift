import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Cached results of opaque tokens. Each applies only to its provider, audience and time.
struct OpaqueCacheCaseTests {
    @Test func `G-01: the response of one endpoint applies to no other`() async throws {
        let other = try await DevelopmentProvider.start()
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(
                provider, [provider.introspectionEntry("oauth.one"), other.introspectionEntry("oauth.two")])
            configuration.routes += [
                "path: /one/**, providers: [oauth.one], upstream: api",
                "path: /two/**, providers: [oauth.two], upstream: api",
            ]
        }) { scenario in
            let token = try scenario.opaque(.ada)
            for _ in 0..<4 {
                #expect(try scenario.passes(.bearer(token.text, "/one/x"))["X-Auth-Uid"] == "oauth.one:ada")
                try scenario.expectRefusal(.bearer(token.text, "/two/x"), 401, "auth/invalid-id-token")
            }
            #expect(scenario.provider.calls(about: token) == 1 && other.calls(about: token) == 1)
            // The same token identifies another user there.
            let shared = try scenario.opaque(.ada)
            try other.add(.introspected(for: .grace, text: shared.text, now: other.now))
            for _ in 0..<4 {
                #expect(try scenario.passes(.bearer(shared.text, "/one/x"))["X-Auth-Uid"] == "oauth.one:ada")
                #expect(try scenario.passes(.bearer(shared.text, "/two/x"))["X-Auth-Uid"] == "oauth.two:grace")
            }
            // With several possible providers there is no lookup.
            try scenario.expectRefusal(.bearer(token.text, "/me/x"), 401, "auth/argument-error")
        }
        await other.stop()
    }

    /// One endpoint of two entries with different audiences.
    @Test func `G-03 G-14: each audience has its own lookup`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(
                provider,
                [
                    provider.introspectionEntry("oauth.one", audience: "one"),
                    provider.introspectionEntry("oauth.two", audience: "two"),
                ])
            configuration.routes += [
                "path: /one/**, providers: [oauth.one], upstream: api, host: [one.example, shared.example]",
                "path: /two/**, providers: [oauth.two], upstream: api, host: [two.example, shared.example]",
            ]
        }) { scenario in
            let tokens = try ["one", "two"].map { audience in
                try scenario.opaque { $0.setting("aud", to: .string(audience)) }
            }
            for host in ["one.example", "shared.example", "two.example", "shared.example"] {
                for (place, token) in tokens.enumerated() {
                    for (route, name) in ["one", "two"].enumerated() {
                        guard host == "shared.example" || host == "\(name).example" else { continue }
                        var request = WireRequest.bearer(token.text, "/\(name)/x")
                        request.host = host
                        let response = try scenario.send(request)
                        #expect(response.status == (place == route ? 200 : 401), "\(host) \(place) \(name)")
                    }
                }
            }
            for token in tokens { #expect(scenario.provider.calls(about: token) == 2) }
        }
    }

    @Test func `G-04: the cache key separates provider and token`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(
                provider, [provider.introspectionEntry("oauth.a"), provider.introspectionEntry("oauth.ab")])
            configuration.routes += [
                "path: /a/**, providers: [oauth.a], upstream: api",
                "path: /ab/**, providers: [oauth.ab], upstream: api",
            ]
        }) { scenario in
            let known = try scenario.opaque(.ada, text: "b0123456789abcdef0123456789abcdef")
            let rest = String(known.text.dropFirst())
            for _ in 0..<2 {
                #expect(try scenario.passes(.bearer(known.text, "/a/x"))["X-Auth-Uid"] == "oauth.a:ada")
                try scenario.expectRefusal(.bearer(rest, "/ab/x"), 401, "auth/invalid-id-token")
                // Tokens with a common prefix are different tokens.
                try scenario.expectRefusal(.bearer(known.text + "0", "/a/x"), 401, "auth/invalid-id-token")
                try scenario.expectRefusal(.bearer(String(known.text.dropLast()), "/a/x"), 401, "auth/invalid-id-token")
                try scenario.expectRefusal(.bearer("B" + rest, "/a/x"), 401, "auth/invalid-id-token")
            }
        }
    }

    private static let scoped = [
        "path: /read/**, scopes: [read], upstream: api", "path: /write/**, scopes: [read, write], upstream: api",
    ]

    @Test func `G-02: each route checks its own scopes on every cache hit`() async throws {
        try await Scenario.introspecting(routes: Self.scoped) { scenario in
            let token = try scenario.opaque { $0.setting("scope", to: "profile read") }
            for _ in 0..<3 {
                _ = try scenario.passes(.bearer(token.text, "/read/x"))
                try scenario.expectRefusal(
                    .bearer(token.text, "/write/x"), 403, "auth/insufficient-scope",
                    challenge: "Bearer error=\"insufficient_scope\", scope=\"read write\"")
            }
            #expect(scenario.provider.calls(about: token) == 1)
        }
    }

    static let scopes: [(scope: JSON?, passes: Bool)] = [
        ("read", true), ("write read", true), ("read read", true), ("", false), (nil, false), ("write", false),
        ("READ", false), ("readwrite", false), ("read:all", false), ("xread", false), ("read,write", false),
    ]

    @Test func `G-02: a scope is compared as a whole`() async throws {
        try await Scenario.introspecting(routes: Self.scoped) { scenario in
            for row in Self.scopes {
                let token = try scenario.opaque { token in
                    row.scope.map { token.setting("scope", to: $0) } ?? token.removing("scope")
                }
                let response = try scenario.send(.bearer(token.text, "/read/x"))
                #expect(response.status == (row.passes ? 200 : 403), "\(row) \(response.text)")
            }
            // ID tokens have no scopes.
            try scenario.expectRefusal(
                .bearer(scenario.token { $0.setting("scope", to: "read") }, "/read/x"), 403, "auth/insufficient-scope",
                challenge: "Bearer error=\"insufficient_scope\", scope=\"read\"")
        }
    }

    @Test func `G-05: no file, log or response contains a token or secret`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identifyAll(provider)
            configuration["log"] = "{ level: trace }"
        }) { scenario in
            let provider = scenario.provider
            let now = provider.now
            let rows: [(OpaqueToken, String, DevelopmentProvider.Endpoint)] = [
                (.introspected(for: .ada, now: now), "/legacy", .introspection),
                (.gitHub(for: .linus, now: now), "/github", .gitHubTokenCheck),
                (.facebook(for: .dennis, now: now), "/facebook", .facebookDebugToken),
            ]
            var secrets: [String] = ["introspection-secret", "github-secret", "facebook-secret"]
            var answers = ""
            for (token, prefix, endpoint) in rows {
                let unknown = token.text + "x"
                try provider.add(token)
                _ = try scenario.send(.bearer(token.text, "\(prefix)/x?token=\(token.text)"))
                answers += try scenario.send(.bearer(unknown, "\(prefix)/x")).text
                for fault in [Misbehaviour.drop, .status(500, body: "a body"), .html, .status(401)] {
                    provider.misbehave(fault, at: endpoint)
                    answers += try scenario.send(.bearer(unknown + "y\(secrets.count)", "\(prefix)/x")).text
                }
                provider.misbehave(nil, at: endpoint)
                secrets += [token.text, unknown]
            }
            answers += try scenario.admin("GET", "/v1/keys").text + scenario.admin("GET", "/metrics").text
            _ = await scenario.accessLog()
            #expect(scenario.gateway.errors.contains("oauth.legacy"), "the failures should be logged")
            let written = try Self.everything(in: scenario.gateway.folder.url) + Array(answers.utf8)
            for secret in secrets { #expect(!written.contains(Array(secret.utf8)), "\(secret)") }
        }
    }

    /// All bytes of the files in a folder, except the configuration, which contains the secrets.
    private static func everything(in folder: URL) throws -> [UInt8] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains { $0.hasPrefix("gatehouse.db") })
        return try names.filter { $0 != "gatehouse.yaml" }
            .flatMap { try [UInt8](Data(contentsOf: folder.appending(path: $0))) }
    }
}
