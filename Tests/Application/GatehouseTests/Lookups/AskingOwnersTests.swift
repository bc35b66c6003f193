import Accounts
import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Redis
import RequestPipeline
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import RedisFixtures
@testable import Revocation
@testable import StoreFixtures
@testable import SystemFixtures

/// Requests with providers' own tokens where there are accounts: who is asked for the owner, how often, and what the answer does.
@Suite struct AskingOwnersTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    private static let token = ProviderSample.apple.signed()
    private static let name = "apple.com:user-1"
    private static let ada = LinkAnswer.owner(AccountRecord(uid: "ada", created: 1))
    private static let bob = LinkAnswer.owner(AccountRecord(uid: "bob", created: 1))

    private struct Desk {
        let links = ScriptedLinks()
        let generations = LinkGenerations()
        let providers = ScriptedProviders()
        let rig: RequestPathRig

        init(redis: RedisConfiguration? = nil, _ adjust: (inout Configuration) -> Void = { _ in }) throws {
            let lookups = RemoteLookups(opaqueTokens: providers, links: links, linkGenerations: generations)
            rig = try RequestPathRig(redis: redis, lookups: lookups) { configuration in
                configuration.accounts = Configuration.Accounts()
                var opaque = Configuration.Provider(
                    id: "oauth.a", kind: .oauth, location: SourceLocation(origin: "test"))
                opaque.opaqueTokens = Configuration.Provider.OpaqueTokens(
                    url: "https://as.example/introspect", clientID: "gateway", clientSecret: Secret("s"))
                configuration.identity.providers = [ProviderSample.apple.provider(), opaque]
                configuration.revocation.strictTimeout = .seconds(100)
                adjust(&configuration)
            }
            try rig.installKeys()
            if redis != nil { try rig.until { $0.inquiries?.isConnected == true } }
        }

        func asked(_ count: Int) async throws -> ScriptedLinks.Question {
            try await eventually("\(count) questions") {
                links.questions.count >= count ? links.questions[count - 1] : nil
            }
        }

        func installSessionKeys() throws {
            let view = try SessionDraft.keys().view
            try rig.onWorker { worker in worker.snapshot.sessionSet.map { worker.install(view, set: $0) } }
        }
    }

    private static func request(_ token: String = token, cookie: Bool = false) -> String {
        let field = cookie ? "Cookie: __session=\(token)" : "Authorization: Bearer \(token)"
        return "GET /private/x HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n"
    }

    /// Reads a request at the upstream and answers it; who the upstream was told it is.
    private func pass(_ client: LoopbackSocket, _ server: LoopbackSocket) throws -> [String] {
        let head = try server.readHead()
        try server.send(Self.ok)
        #expect(try client.readMessage().status == 200)
        return head.values("X-Auth-Uid")
    }

    @Test func aRequestWaitsForTheOwnerWhoThenIsKept() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        let question = try await desk.asked(1)
        #expect(question.link == IdentityLink(provider: "apple.com", subject: "user-1"))
        #expect(!desk.rig.upstream.hasConnection)
        question.answer(Self.ada)
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == ["ada"])
        try client.send(Self.request())
        #expect(try pass(client, server) == ["ada"])
        #expect(desk.links.questions.count == 1)
    }

    @Test func anIdentityWithoutAnOwnerNamesItself() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.asked(1).answer(.nobody)
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == [Self.name])
        try client.send(Self.request())
        #expect(try pass(client, server) == [Self.name])
        #expect(desk.links.questions.count == 1)
    }

    @Test func whereThatIsDeniedItIs403() async throws {
        let desk = try Desk { $0.accounts?.unlinked = .deny }
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.asked(1).answer(.nobody)
        for _ in 0..<2 {
            let answer = try client.readMessage()
            #expect(answer.status == 403)
            #expect(answer.body.contains("auth/permission-denied"))
            try client.send(Self.request())
        }
        #expect(desk.links.questions.count == 1)
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func oneQuestionForAllThatWait() async throws {
        let desk = try Desk()
        let other = ProviderSample.apple.signed { $0.with("jti", "\"2\"") }
        let clients = try (0..<6).map { _ in try desk.rig.connect() }
        for (number, client) in clients.enumerated() {
            try client.send(Self.request(number % 2 == 0 ? Self.token : other))
        }
        try desk.rig.until { $0.pending.count == 6 }
        #expect(desk.links.questions.count == 1)
        try await desk.asked(1).answer(.failed(.timedOut))
        for client in clients { #expect(try client.readMessage().status == 503) }
        #expect(desk.links.questions.count == 1)
    }

    @Test("a link that changes while its question is out is asked about again", arguments: [ada, .nobody])
    func overtaken(_ old: LinkAnswer) async throws {
        let desk = try Desk()
        let clients = try (0..<3).map { _ in try desk.rig.connect() }
        for client in clients { try client.send(Self.request()) }
        try desk.rig.until { $0.pending.count == 3 }
        let question = try await desk.asked(1)
        desk.generations.changed(Self.name)
        question.answer(old)
        let again = try await desk.asked(2)
        #expect(!desk.rig.upstream.hasConnection)
        again.answer(Self.bob)
        for _ in clients { #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["bob"]) }
        #expect(desk.links.questions.count == 2)
    }

    @Test func aChangeIsSeenByTheNextRequest() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.asked(1).answer(Self.ada)
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == ["ada"])
        desk.generations.changed(Self.name)
        try client.send(Self.request())
        try await desk.asked(2).answer(.nobody)
        #expect(try pass(client, server) == [Self.name])
        desk.generations.changed(Self.name)
        try client.send(Self.request())
        try await desk.asked(3).answer(Self.bob)
        #expect(try pass(client, server) == ["bob"])
    }

    @Test("H-04: an owner that cannot be learnt is 503, whatever the route allows")
    func failures() async throws {
        let desk = try Desk {
            $0.routes[1].onStoreFailure = .allow
            $0.routes[1].revocation = .off
        }
        let client = try desk.rig.connect()
        for number in 1...2 {
            try client.send(Self.request())
            try await desk.asked(number).answer(.failed(.unreachable))
            let answer = try client.readMessage()
            #expect(answer.status == 503)
            #expect(answer.value("Retry-After") != nil)
            #expect(answer.body.contains("auth/store-unavailable"))
        }
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func anAnswerThatDoesNotComeIs503AfterFiveSecondsAndMayComeLater() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        let question = try await desk.asked(1)
        try desk.rig.pass(seconds: 4.9)
        #expect(client.isQuiet)
        try desk.rig.pass(seconds: 0.2)
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        // The question is still out: who comes waits for it as well.
        try client.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        #expect(desk.links.questions.count == 1)
        question.answer(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
    }

    @Test func aLinkThatChangesAgainAndAgainKeepsARequestNoLongerThanAnyOther() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        for number in 1...3 {
            let question = try await desk.asked(number)
            desk.rig.clock.advance(seconds: 2)
            desk.generations.changed(Self.name)
            question.answer(Self.ada)
        }
        #expect(try client.readMessage().status == 503)
        #expect(desk.links.questions.count == 3)
    }

    // MARK: - While nobody tells what changes

    @Test func anOwnerIsAskedForOnceChangesAreTold() async throws {
        let desk = try Desk { $0.routes[1].revocation = .off }
        desk.rig.view.setStale()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        #expect(desk.links.questions.isEmpty)
        desk.rig.view.setAlwaysFresh()
        try desk.rig.onWorker { $0.storeLoaded() }
        try await desk.asked(1).answer(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
    }

    @Test("H-04: an owner that was known is not believed once changes are not told any more")
    func unfollowed() async throws {
        let desk = try Desk { $0.routes[1].revocation = .off }
        desk.rig.view.setStale()
        desk.rig.view.confirm(at: desk.rig.clock.clock.monotonic())
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.asked(1).answer(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
        try desk.rig.pass(seconds: 61)
        try client.send(Self.request())
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        try client.send(Self.request(TokenDraft.idToken().signed()))
        // The connection to the upstream was idle for too long meanwhile.
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["user-1"])
        desk.rig.view.setStale()
        try client.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        try desk.rig.pass(seconds: 5.1)
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        #expect(desk.links.questions.count == 1)
    }

    @Test func moreQuestionsThanMayBeOutAreNotAsked() async throws {
        let desk = try Desk()
        try desk.rig.onWorker { worker in
            for number in 1...UInt64(Worker.lookupLimit) {
                worker.pending.start(.owner(StoreKey(high: 0, low: number)))
            }
        }
        let client = try desk.rig.connect()
        try client.send(Self.request())
        #expect(try client.readMessage().status == 503)
        #expect(desk.links.questions.isEmpty)
        try desk.rig.onWorker { $0.pending.finish(.owner(StoreKey(high: 0, low: 1))) }
        try client.send(Self.request())
        try await desk.asked(1).answer(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
    }

    // MARK: - Whose tokens

    @Test func whatNoAccountCanOwnAsksNothing() async throws {
        let desk = try Desk { $0.accounts?.unlinked = .deny }
        try desk.installSessionKeys()
        let client = try desk.rig.connect()
        try client.send(Self.request(TokenDraft.idToken().signed()))
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == ["user-1"])
        try client.send(Self.request(TokenDraft.sessionCookie().signed(), cookie: true))
        #expect(try pass(client, server) == ["user-1"])
        try client.send(Self.request(SessionDraft.signed(), cookie: true))
        #expect(try pass(client, server) == ["user-1"])
        #expect(desk.links.questions.isEmpty)
    }

    @Test func anOpaqueTokensIdentityHasAnOwnerToo() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request("opaque-1"))
        let check = try await eventually("a check") { desk.providers.questions.first }
        let until = desk.rig.clock.clock.monotonic() + 60_000_000_000
        check.answer(.accepted(try .made(provider: "oauth.a", subject: "7"), freshUntil: until))
        let question = try await desk.asked(1)
        #expect(question.link == IdentityLink(provider: "oauth.a", subject: "7"))
        question.answer(Self.ada)
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == ["ada"])
        desk.generations.changed("oauth.a:7")
        try client.send(Self.request("opaque-1"))
        try await desk.asked(2).answer(Self.bob)
        #expect(try pass(client, server) == ["bob"])
        #expect(desk.providers.questions.count == 1)
    }

    @Test("the account and the identity may be revoked, each by itself", arguments: ["ada", name])
    func revoked(_ uid: String) async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.asked(1).answer(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
        let key = try #require(StoreKey(user: uid, hasher: try SHA256Hasher.required()))
        desk.rig.view.setUser(key, to: RecordWord(UserRecord(disabled: true)))
        try client.send(Self.request())
        #expect(try client.readMessage().body.contains("auth/user-disabled"))
    }

    @Test func aStrictRouteAsksRedisOfBoth() async throws {
        let nothing = "*2\r\n$-1\r\n$-1\r\n"
        let noSession = "*3\r\n$-1\r\n$-1\r\n$-1\r\n"
        let redis = try FakeRedis { $0.name == "HMGET" ? .silence : .text("+PONG\r\n") }
        let desk = try Desk(redis: RedisConfiguration(host: "127.0.0.1", port: redis.port)) {
            $0.routes[1].revocation = .strict
        }
        let token = ProviderSample.apple.signed { $0.with("auth_time", "\(ManualClock.start - 100)") }
        let client = try desk.rig.connect()
        try client.send(Self.request(token))
        try await desk.asked(1).answer(Self.ada)
        let keys = try await eventually("three records") {
            let commands = redis.commands.filter { $0.name == "HMGET" }
            return commands.count == 3 ? commands.map { $0.arguments[1] } : nil
        }
        #expect(
            keys == [
                "gatehouse:user:{ada}", "gatehouse:session:{ada}:apple.com%3A\(ManualClock.start - 100)",
                "gatehouse:user:{apple.com%3Auser-1}",
            ])
        redis.answerSilenced(nothing, noSession, "*2\r\n$-1\r\n$1\r\n1\r\n")
        #expect(try client.readMessage().body.contains("auth/user-disabled"))
        try client.send(Self.request(token))
        _ = try await eventually("three more") {
            redis.commands.count { $0.name == "HMGET" } == 6 ? true : nil
        }
        redis.answerSilenced(nothing, noSession, nothing)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
    }
}
