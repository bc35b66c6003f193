import Authentication
import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import SystemFixtures

/// Lookups of opaque tokens: the queried providers, the number of lookups and the effect of the responses.
@Suite struct ProviderLookupTests {
    private let desk: Desk

    init() throws { desk = try Desk() }

    /// A worker with the providers `oauth.a` and `oauth.b`, a route for each, and a route without a provider.
    private struct Desk {
        let providers = ScriptedProviders()
        let rig: RequestPathRig

        init(_ ids: [String] = ["oauth.a", "oauth.b"], _ adjust: (inout Configuration) -> Void = { _ in }) throws {
            rig = try RequestPathRig(lookups: RemoteLookups(opaqueTokens: providers)) { configuration in
                let place = SourceLocation(origin: "test")
                configuration.identity.providers = ids.map { id in
                    var provider = Configuration.Provider(id: id, kind: .oauth, location: place)
                    provider.opaqueTokens = Configuration.Provider.OpaqueTokens(
                        url: "https://as.example/introspect", clientID: "gateway", clientSecret: Secret("s"))
                    return provider
                }
                for id in ids {
                    var route = Configuration.Route(path: "/\(id)/**", upstream: "api", location: place)
                    route.providers = [id]
                    configuration.routes.append(route)
                }
                adjust(&configuration)
            }
            try rig.installKeys()
        }

        func queries(_ count: Int) async throws -> [ScriptedProviders.Query] {
            try await eventually("\(count) queries") {
                providers.queries.count >= count ? providers.queries : nil
            }
        }

        func accept(_ query: ScriptedProviders.Query, freshFor: UInt64 = 60_000_000_000) throws {
            let id = query.provider == 0 ? "oauth.a" : "oauth.b"
            query.resolve(
                .accepted(try .made(provider: id, subject: "7"), freshUntil: rig.clock.clock.monotonic() + freshFor))
        }
    }

    /// Forwards a request of a client whose token the provider accepts.
    private func pass(_ client: LoopbackSocket, freshFor: UInt64 = 60_000_000_000) async throws -> LoopbackSocket {
        try desk.accept(try await desk.queries(1)[0], freshFor: freshFor)
        let server = try desk.rig.upstream.accept()
        try server.respond()
        _ = try client.readMessage()
        return server
    }

    private static func request(_ token: String, _ path: String = "/oauth.a/x") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    @Test func `a request waits for the response of the provider and passes`() async throws {
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        let query = try await desk.queries(1)[0]
        #expect(query.token == "opaque-1")
        #expect(!desk.rig.upstream.hasConnection)
        try desk.accept(query)
        let head = try desk.rig.upstream.accept().readHead()
        #expect(head.values("X-Auth-Uid") == ["oauth.a:7"])
        #expect(head.value("Authorization") == nil)
    }

    @Test func `G-13: one lookup serves all waiting requests`() async throws {
        let clients = try (0..<5).map { _ in try desk.rig.send(Self.request("same")) }
        try desk.rig.until { $0.pending.count == 5 }
        let queries = try await desk.queries(1)
        #expect(queries.count == 1)
        let refusal = VerificationFailure(code: .invalidIDToken, reason: .signature)
        queries[0].resolve(.refused(refusal, until: desk.rig.clock.clock.monotonic() + 1))
        for client in clients { #expect(try client.readMessage().status == 401) }
    }

    @Test func `G-09: a response is used until its expiry`() async throws {
        let client = try desk.rig.send(Self.request("opaque-1"))
        let server = try await pass(client)
        try desk.rig.pass(seconds: 40)
        try client.send(Self.request("opaque-1"))
        try server.respond()
        _ = try client.readMessage()
        #expect(desk.providers.queries.count == 1)
        try desk.rig.pass(seconds: 21)
        try client.send(Self.request("opaque-1"))
        #expect(try await desk.queries(2).count == 2)
    }

    @Test func `a response with no lifetime decides the requests that waited for it`() async throws {
        let client = try desk.rig.send(Self.request("opaque-1"))
        let server = try await pass(client, freshFor: 0)
        #expect(desk.providers.queries.count == 1)
        #expect(server.isQuiet)
    }

    @Test func `G-01: a response of one provider is not used for another`() async throws {
        let client = try desk.rig.send(Self.request("same", "/oauth.a/x"))
        let server = try await pass(client)
        try client.send(Self.request("same", "/oauth.b/x"))
        let query = try await desk.queries(2)[1]
        #expect(query.provider == 1)
        query.resolve(.refused(VerificationFailure(code: .invalidIDToken, reason: .audience), until: .max))
        #expect(try client.readMessage().status == 401)
        // The responses of both providers are cached.
        try client.send(Self.request("same", "/oauth.b/x"))
        #expect(try client.readMessage().status == 401)
        #expect(desk.providers.queries.count == 2)
        #expect(server.isQuiet)
    }

    @Test func `G-13: an outage is 503 with Retry-After and not retried at once`() async throws {
        let client = try desk.rig.send(Self.request("opaque-1"))
        let now = desk.rig.clock.clock.monotonic()
        try await desk.queries(1)[0].resolve(.unavailable(why: "500", retryAfter: 7, until: now + 7_000_000_000))
        for _ in 0..<2 {
            let response = try client.expectProblem(503, "auth/introspection-unavailable")
            #expect(response.value("Retry-After") == "7")
            try client.send(Self.request("opaque-1"))
        }
        #expect(desk.providers.queries.count == 1)
        try desk.rig.pass(seconds: 8)
        try client.send(Self.request("opaque-1"))
        #expect(try await desk.queries(2).count == 2)
    }

    @Test(arguments: [0, 1, 60])
    func `G-13: an expired response is not used in an outage`(_ freshFor: UInt64) async throws {
        let client = try desk.rig.send(Self.request("opaque-1"))
        let server = try await pass(client, freshFor: freshFor * 1_000_000_000)
        for round in 2...3 {
            try desk.rig.pass(seconds: 61)
            try client.send(Self.request("opaque-1"))
            let until = desk.rig.clock.clock.monotonic() + 1_000_000_000
            try await desk.queries(round)[round - 1].resolve(
                .unavailable(why: "timed_out", retryAfter: 1, until: until))
            #expect(try client.readMessage().status == 503)
        }
        withExtendedLifetime(server) {}
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func `a lookup without a response is 503 after five seconds`() async throws {
        let client = try desk.rig.send(Self.request("opaque-1"))
        try desk.rig.until { $0.pending.count == 1 }
        try desk.rig.pass(seconds: 5.1)
        try client.expectProblem(503, "auth/introspection-unavailable")
    }

    @Test(arguments: [
        "eyJhbGciOiJSUzI1NiJ9.e30", "eyJhbGciOiJSUzI1NiJ9.e30.x.y", "ewogfQ.", "e30.e30.e30", "eyJ..", "a b", "a,b",
        "\"a\"", "a=b", "=", "t\u{e9}", String(repeating: "a", count: 4097),
    ])
    func `a malformed JWT or bearer token is never looked up`(_ token: String) throws {
        let status = try desk.rig.send(Self.request(token)).readMessage().status
        #expect(status == 401 || status == 400 && !token.hasPrefix("e"))
        #expect(desk.providers.queries.isEmpty)
    }

    @Test func `a route without one of several providers has no lookup`() throws {
        let client = try desk.rig.send(Self.request("opaque-1", "/private/x"))
        try client.expectProblem(401, "auth/argument-error")
        #expect(desk.providers.queries.isEmpty)
    }

    @Test func `the only provider is queried if a route names no provider`() async throws {
        let desk = try Desk(["oauth.a"])
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1", "/private/x"))
        #expect(try await desk.queries(1)[0].provider == 0)
    }

    /// The providers of a route also apply to cached responses.
    @Test func `E-06: a token of another provider does not pass`() async throws {
        let desk = try Desk(["oauth.a"]) { configuration in
            var route = Configuration.Route(
                path: "/google/**", upstream: "api", location: SourceLocation(origin: "test"))
            route.providers = ["google.com"]
            configuration.routes.append(route)
        }
        let client = try desk.rig.send(Self.request("opaque-1", "/google/x"))
        try desk.accept(try await desk.queries(1)[0])
        for _ in 0..<2 {
            #expect(try client.readMessage().status == 403)
            try client.send(Self.request("opaque-1", "/google/x"))
        }
    }

    @Test func `G-11: an expired token is rejected although its response is still cached`() async throws {
        let client = try desk.rig.send(Self.request("opaque-1"))
        let query = try await desk.queries(1)[0]
        let identity = try ProviderIdentity.made(
            provider: "oauth.a", subject: "7", expiresAt: desk.rig.clock.clock.now() + 10)
        query.resolve(.accepted(identity, freshUntil: .max))
        let server = try desk.rig.upstream.accept()
        try server.respond()
        _ = try client.readMessage()
        try desk.rig.pass(seconds: 11)
        try client.send(Self.request("opaque-1"))
        try client.expectProblem(401, "auth/id-token-expired")
    }
}
