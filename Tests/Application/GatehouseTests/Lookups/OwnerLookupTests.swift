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

/// Lookups of the owners of identities: the requests that need one, the number of lookups, and the effect of the
/// responses.
@Suite struct OwnerLookupTests {
    private static let token = ProviderSample.apple.signed()
    private static let name = "apple.com:user-1"
    private static let ada = LinkLookupResult.owner(AccountRecord(uid: "ada", created: 1))
    private static let bob = LinkLookupResult.owner(AccountRecord(uid: "bob", created: 1))
    private let desk: Desk

    init() throws { desk = try Desk() }

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

        func query(_ number: Int) async throws -> ScriptedLinks.Query {
            try await eventually("\(number) queries") {
                links.queries.count >= number ? links.queries[number - 1] : nil
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

    /// Forwards a request and returns the user that the upstream received.
    private func pass(_ client: LoopbackSocket, _ server: LoopbackSocket) throws -> [String] {
        let head = try server.readHead()
        try server.send(.okResponse)
        #expect(try client.readMessage().status == 200)
        return head.values("X-Auth-Uid")
    }

    @Test(arguments: [(ada, "ada"), (.unowned, name)])
    func `a request waits for the owner, which is cached`(owner: LinkLookupResult, uid: String) async throws {
        let client = try desk.rig.send(Self.request())
        let query = try await desk.query(1)
        #expect(query.link == IdentityLink(provider: "apple.com", subject: "user-1"))
        #expect(!desk.rig.upstream.hasConnection)
        query.resolve(owner)
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == [uid])
        try client.send(Self.request())
        #expect(try pass(client, server) == [uid])
        #expect(desk.links.queries.count == 1)
    }

    @Test func `an identity without an owner is 403 if configured`() async throws {
        let desk = try Desk { $0.accounts?.unlinked = .deny }
        let client = try desk.rig.send(Self.request())
        try await desk.query(1).resolve(.unowned)
        for _ in 0..<2 {
            try client.expectProblem(403, "auth/permission-denied")
            try client.send(Self.request())
        }
        #expect(desk.links.queries.count == 1)
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func `one lookup serves all waiting requests`() async throws {
        let other = ProviderSample.apple.signed { $0.with("jti", "\"2\"") }
        let clients = try (0..<6).map { try desk.rig.send(Self.request($0 % 2 == 0 ? Self.token : other)) }
        try desk.rig.until { $0.pending.count == 6 }
        #expect(desk.links.queries.count == 1)
        try await desk.query(1).resolve(.failed(.timedOut))
        for client in clients { #expect(try client.readMessage().status == 503) }
        #expect(desk.links.queries.count == 1)
    }

    @Test(arguments: [ada, .unowned])
    func `a link that changes during its lookup is looked up again`(_ old: LinkLookupResult) async throws {
        let clients = try (0..<3).map { _ in try desk.rig.send(Self.request()) }
        try desk.rig.until { $0.pending.count == 3 }
        let query = try await desk.query(1)
        desk.generations.changed(Self.name)
        query.resolve(old)
        let again = try await desk.query(2)
        #expect(!desk.rig.upstream.hasConnection)
        again.resolve(Self.bob)
        for _ in clients { #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["bob"]) }
        #expect(desk.links.queries.count == 2)
    }

    @Test func `a change applies to the next request`() async throws {
        let client = try desk.rig.send(Self.request())
        try await desk.query(1).resolve(Self.ada)
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == ["ada"])
        desk.generations.changed(Self.name)
        try client.send(Self.request())
        try await desk.query(2).resolve(.unowned)
        #expect(try pass(client, server) == [Self.name])
        desk.generations.changed(Self.name)
        try client.send(Self.request())
        try await desk.query(3).resolve(Self.bob)
        #expect(try pass(client, server) == ["bob"])
    }

    @Test func `H-04: an unavailable owner is 503, whatever the route allows`() async throws {
        let desk = try Desk {
            $0.routes[1].onStoreFailure = .allow
            $0.routes[1].revocation = .off
        }
        let client = try desk.rig.connect()
        for number in 1...2 {
            try client.send(Self.request())
            try await desk.query(number).resolve(.failed(.unreachable))
            let response = try client.expectProblem(503, "auth/store-unavailable")
            #expect(response.value("Retry-After") != nil)
        }
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func `a lookup without a response is 503 after five seconds and may end later`() async throws {
        let client = try desk.rig.send(Self.request())
        let query = try await desk.query(1)
        try desk.rig.pass(seconds: 4.9)
        #expect(client.isQuiet)
        try desk.rig.pass(seconds: 0.2)
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        // The lookup is still open, and the next request waits for it too.
        try client.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        #expect(desk.links.queries.count == 1)
        query.resolve(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
    }

    @Test func `a link that keeps changing delays a request no longer than any other`() async throws {
        let client = try desk.rig.send(Self.request())
        for number in 1...3 {
            let query = try await desk.query(number)
            desk.rig.clock.advance(seconds: 2)
            desk.generations.changed(Self.name)
            query.resolve(Self.ada)
        }
        #expect(try client.readMessage().status == 503)
        #expect(desk.links.queries.count == 3)
    }

    // MARK: - Without the changes of the store

    @Test func `an owner is looked up once changes are followed`() async throws {
        let desk = try Desk { $0.routes[1].revocation = .off }
        desk.rig.view.setStale()
        let client = try desk.rig.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        #expect(desk.links.queries.isEmpty)
        desk.rig.view.setAlwaysFresh()
        try desk.rig.onWorker { $0.storeLoaded() }
        try await desk.query(1).resolve(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
    }

    @Test func `H-04: a cached owner is not used once changes are not followed`() async throws {
        let desk = try Desk { $0.routes[1].revocation = .off }
        desk.rig.view.setStale()
        desk.rig.view.confirm(at: desk.rig.clock.clock.monotonic())
        let client = try desk.rig.send(Self.request())
        try await desk.query(1).resolve(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
        try desk.rig.pass(seconds: 61)
        try client.send(Self.request())
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        try client.send(Self.request(TokenDraft.idToken().signed()))
        // The idle connection to the upstream has timed out.
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["user-1"])
        desk.rig.view.setStale()
        try client.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        try desk.rig.pass(seconds: 5.1)
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        #expect(desk.links.queries.count == 1)
    }

    @Test func `lookups above the limit are not sent`() async throws {
        try desk.rig.onWorker { worker in
            for number in 1...UInt64(Worker.lookupLimit) {
                worker.pending.start(.owner(StoreKey(high: 0, low: number)))
            }
        }
        let client = try desk.rig.send(Self.request())
        #expect(try client.readMessage().status == 503)
        #expect(desk.links.queries.isEmpty)
        try desk.rig.onWorker { $0.pending.finish(.owner(StoreKey(high: 0, low: 1))) }
        try client.send(Self.request())
        try await desk.query(1).resolve(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
    }

    // MARK: - Tokens with owners

    @Test func `tokens that no account can own have no lookup`() async throws {
        let desk = try Desk { $0.accounts?.unlinked = .deny }
        try desk.installSessionKeys()
        let client = try desk.rig.send(Self.request(TokenDraft.idToken().signed()))
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == ["user-1"])
        try client.send(Self.request(TokenDraft.sessionCookie().signed(), cookie: true))
        #expect(try pass(client, server) == ["user-1"])
        try client.send(Self.request(SessionDraft.signed(), cookie: true))
        #expect(try pass(client, server) == ["user-1"])
        #expect(desk.links.queries.isEmpty)
    }

    @Test func `the identity of an opaque token has an owner too`() async throws {
        let client = try desk.rig.send(Self.request("opaque-1"))
        let check = try await eventually("a check") { desk.providers.queries.first }
        let until = desk.rig.clock.clock.monotonic() + 60_000_000_000
        check.resolve(.accepted(try .made(provider: "oauth.a", subject: "7"), freshUntil: until))
        let query = try await desk.query(1)
        #expect(query.link == IdentityLink(provider: "oauth.a", subject: "7"))
        query.resolve(Self.ada)
        let server = try desk.rig.upstream.accept()
        #expect(try pass(client, server) == ["ada"])
        desk.generations.changed("oauth.a:7")
        try client.send(Self.request("opaque-1"))
        try await desk.query(2).resolve(Self.bob)
        #expect(try pass(client, server) == ["bob"])
        #expect(desk.providers.queries.count == 1)
    }

    @Test(arguments: ["ada", name])
    func `the account and the identity can each be revoked`(_ uid: String) async throws {
        let client = try desk.rig.send(Self.request())
        try await desk.query(1).resolve(Self.ada)
        #expect(try pass(client, try desk.rig.upstream.accept()) == ["ada"])
        let key = try #require(StoreKey(user: uid, hasher: try SHA256Hasher.required()))
        desk.rig.view.setUser(key, to: RecordWord(UserRecord(disabled: true)))
        try client.send(Self.request())
        #expect(try client.readMessage().body.contains("auth/user-disabled"))
    }

    @Test func `a strict route queries Redis for both`() async throws {
        let nothing = "*2\r\n$-1\r\n$-1\r\n"
        let noSession = "*3\r\n$-1\r\n$-1\r\n$-1\r\n"
        let redis = try FakeRedis { $0.name == "HMGET" ? .silence : .text("+PONG\r\n") }
        let desk = try Desk(redis: RedisConfiguration(host: "127.0.0.1", port: redis.port)) {
            $0.routes[1].revocation = .strict
        }
        let token = ProviderSample.apple.signed { $0.with("auth_time", "\(ManualClock.start - 100)") }
        let client = try desk.rig.send(Self.request(token))
        try await desk.query(1).resolve(Self.ada)
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
