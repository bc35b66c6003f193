import Authentication
import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import SystemFixtures

/// Requests with opaque tokens: whom they make the worker ask, how often, and what the answer does.
@Suite struct AskingProvidersTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    /// A worker with the providers `oauth.a` and `oauth.b`, and a route for each besides the one that names nobody.
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

        func asked(_ count: Int) async throws -> [ScriptedProviders.Question] {
            try await eventually("\(count) questions") {
                providers.questions.count >= count ? providers.questions : nil
            }
        }

        func accept(_ question: ScriptedProviders.Question, freshFor: UInt64 = 60_000_000_000) throws {
            let id = question.provider == 0 ? "oauth.a" : "oauth.b"
            question.answer(
                .accepted(try .made(provider: id, subject: "7"), freshUntil: rig.clock.clock.monotonic() + freshFor))
        }
    }

    private static func request(_ token: String, _ path: String = "/oauth.a/x") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    @Test func aRequestWaitsForTheProvidersWordAndThenPasses() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        let question = try await desk.asked(1)[0]
        #expect(question.token == "opaque-1")
        #expect(!desk.rig.upstream.hasConnection)
        try desk.accept(question)
        let head = try desk.rig.upstream.accept().readHead()
        #expect(head.values("X-Auth-Uid") == ["oauth.a:7"])
        #expect(head.value("Authorization") == nil)
    }

    @Test func g13OneQuestionForAllThatWait() async throws {
        let desk = try Desk()
        let clients = try (0..<5).map { _ in try desk.rig.connect() }
        for client in clients { try client.send(Self.request("same")) }
        try desk.rig.until { $0.pending.count == 5 }
        let questions = try await desk.asked(1)
        #expect(questions.count == 1)
        let refusal = VerificationFailure(code: .invalidIDToken, reason: .signature)
        questions[0].answer(.refused(refusal, until: desk.rig.clock.clock.monotonic() + 1))
        for client in clients { #expect(try client.readMessage().status == 401) }
    }

    @Test func g09AnAnswerCountsAsLongAsItSays() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        try desk.accept(try await desk.asked(1)[0])
        let server = try desk.rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok)
        _ = try client.readMessage()
        try desk.rig.pass(seconds: 40)
        try client.send(Self.request("opaque-1"))
        _ = try server.readHead()
        try server.send(Self.ok)
        _ = try client.readMessage()
        #expect(desk.providers.questions.count == 1)
        try desk.rig.pass(seconds: 21)
        try client.send(Self.request("opaque-1"))
        #expect(try await desk.asked(2).count == 2)
    }

    /// With a `cache_for` of nothing, each answer is for those who waited for it.
    @Test func anAnswerThatCountsForNoTimeDecidesWhoWaitedForIt() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        try desk.accept(try await desk.asked(1)[0], freshFor: 0)
        #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["oauth.a:7"])
        #expect(desk.providers.questions.count == 1)
    }

    @Test func g01AnAnswerOfOneProviderSaysNothingToAnother() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("same", "/oauth.a/x"))
        try desk.accept(try await desk.asked(1)[0])
        let server = try desk.rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok)
        _ = try client.readMessage()
        try client.send(Self.request("same", "/oauth.b/x"))
        let question = try await desk.asked(2)[1]
        #expect(question.provider == 1)
        question.answer(.refused(VerificationFailure(code: .invalidIDToken, reason: .audience), until: .max))
        #expect(try client.readMessage().status == 401)
        // Nor does the refusal of one take the other's answer away for good.
        try client.send(Self.request("same", "/oauth.b/x"))
        #expect(try client.readMessage().status == 401)
        #expect(desk.providers.questions.count == 2)
    }

    @Test func g13AnOutageIs503WithRetryAfterAndNotAskedAgainAtOnce() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        let now = desk.rig.clock.clock.monotonic()
        try await desk.asked(1)[0].answer(.unavailable(why: "500", retryAfter: 7, until: now + 7_000_000_000))
        for _ in 0..<2 {
            let answer = try client.readMessage()
            #expect(answer.status == 503)
            #expect(answer.value("Retry-After") == "7")
            #expect(answer.body.contains("auth/introspection-unavailable"))
            try client.send(Self.request("opaque-1"))
        }
        #expect(desk.providers.questions.count == 1)
        try desk.rig.pass(seconds: 8)
        try client.send(Self.request("opaque-1"))
        #expect(try await desk.asked(2).count == 2)
    }

    @Test(
        "G-13: an answer that has become too old is not used in the place of one that cannot be had",
        arguments: [0, 1, 60])
    func g13AnOldAnswerDoesNotOutliveItsTimeInAnOutage(_ freshFor: UInt64) async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        try desk.accept(try await desk.asked(1)[0], freshFor: freshFor * 1_000_000_000)
        let server = try desk.rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok)
        _ = try client.readMessage()
        for round in 2...3 {
            try desk.rig.pass(seconds: 61)
            try client.send(Self.request("opaque-1"))
            let until = desk.rig.clock.clock.monotonic() + 1_000_000_000
            try await desk.asked(round)[round - 1].answer(.unavailable(why: "timed_out", retryAfter: 1, until: until))
            #expect(try client.readMessage().status == 503)
        }
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func anAnswerThatDoesNotComeIs503AfterFiveSeconds() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        try desk.rig.until { $0.pending.count == 1 }
        try desk.rig.pass(seconds: 5.1)
        let answer = try client.readMessage()
        #expect(answer.status == 503)
        #expect(answer.body.contains("auth/introspection-unavailable"))
    }

    @Test(arguments: ["eyJhbGciOiJSUzI1NiJ9.e30", "eyJhbGciOiJSUzI1NiJ9.e30.x.y", "ewogfQ.", "e30.e30.e30", "eyJ.."])
    func aMalformedJWTIsNeverAskedAbout(_ token: String) throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request(token))
        #expect(try client.readMessage().status == 401)
        #expect(desk.providers.questions.isEmpty)
    }

    @Test(arguments: ["a b", "a,b", "\"a\"", "a=b", "=", "t\u{e9}", String(repeating: "a", count: 4097)])
    func whatIsNoBearerTokenIsNeverAskedAbout(_ token: String) throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request(token))
        #expect([400, 401].contains(try client.readMessage().status))
        #expect(desk.providers.questions.isEmpty)
    }

    @Test func aRouteThatNamesNoneOfSeveralProvidersAsksNobody() throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1", "/private/x"))
        let answer = try client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.body.contains("auth/argument-error"))
        #expect(desk.providers.questions.isEmpty)
    }

    @Test func theOnlyProviderIsAskedWhereARouteNamesNobody() async throws {
        let desk = try Desk(["oauth.a"])
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1", "/private/x"))
        #expect(try await desk.asked(1)[0].provider == 0)
    }

    /// The route's providers are asked of who the provider says it is, on hits too.
    @Test func e06ATokenOfAnotherProviderDoesNotPass() async throws {
        let desk = try Desk(["oauth.a"]) { configuration in
            var route = Configuration.Route(
                path: "/google/**", upstream: "api", location: SourceLocation(origin: "test"))
            route.providers = ["google.com"]
            configuration.routes.append(route)
        }
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1", "/google/x"))
        try desk.accept(try await desk.asked(1)[0])
        for _ in 0..<2 {
            #expect(try client.readMessage().status == 403)
            try client.send(Self.request("opaque-1", "/google/x"))
        }
    }

    @Test func g11ATokenThatHasEndedIsRefusedThoughItsAnswerWouldStillCount() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        let question = try await desk.asked(1)[0]
        let identity = try ProviderIdentity.made(
            provider: "oauth.a", subject: "7", expiresAt: desk.rig.clock.clock.now() + 10)
        question.answer(.accepted(identity, freshUntil: .max))
        let server = try desk.rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok)
        _ = try client.readMessage()
        try desk.rig.pass(seconds: 11)
        try client.send(Self.request("opaque-1"))
        let answer = try client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.body.contains("auth/id-token-expired"))
    }
}
