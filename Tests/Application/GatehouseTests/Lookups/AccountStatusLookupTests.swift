import Accounts
import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import Redis
import RequestPipeline
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Requests of Firebase users with lookups in Identity Toolkit and in the store.
@Suite struct AccountStatusLookupTests {
    private static let token = TokenDraft.idToken().signed()
    private static let fine = AccountStatus.State.account(validSince: nil, disabled: false)
    private let desk: Desk

    init() throws { desk = try Desk() }

    private static func request(_ path: String = "/private/x") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    private struct Desk {
        let toolkit = ScriptedProviders()
        let rig: RequestPathRig

        init(
            redis: RedisConfiguration? = nil, maxStaleness: Duration = .seconds(60),
            _ adjust: (inout Configuration.Route) -> Void = { _ in }
        ) throws {
            rig = try RequestPathRig(redis: redis, lookups: RemoteLookups(accounts: toolkit)) {
                $0.revocation.maxStaleness = maxStaleness
                $0.revocation.strictTimeout = .seconds(100)
                adjust(&$0.routes[1])
            }
            try rig.installKeys()
            if redis != nil { try rig.until { $0.inquiries?.isConnected == true } }
        }

        func answer(_ number: Int, _ answer: AccountStatus.State) async throws {
            let lookUp = try await eventually("\(number) look-ups") {
                toolkit.lookUps.count >= number ? toolkit.lookUps[number - 1] : nil
            }
            lookUp.resolve(AccountStatus(state: answer, queriedAt: rig.clock.clock.monotonic()))
        }

        /// Reads a request at the upstream and responds to it.
        func pass(_ client: LoopbackSocket, _ server: LoopbackSocket) throws {
            #expect(try server.readHead().values("X-Auth-Uid") == ["user-1"])
            try server.send(.okResponse)
            #expect(try client.readMessage().status == 200)
        }
    }

    @Test func `a request waits for the response, which is used for max_staleness`() async throws {
        let client = try desk.rig.send(Self.request())
        try await desk.answer(1, Self.fine)
        let server = try desk.rig.upstream.accept()
        try desk.pass(client, server)
        try desk.rig.pass(seconds: 40)
        try client.send(Self.request())
        try desk.pass(client, server)
        #expect(desk.toolkit.lookUps.map(\.uid) == ["user-1"])
        try desk.rig.pass(seconds: 21)
        try client.send(Self.request())
        try await desk.answer(2, .account(validSince: nil, disabled: true))
        #expect(try client.readMessage().body.contains("auth/user-disabled"))
    }

    @Test func `a strict route looks up each request`() async throws {
        let desk = try Desk { $0.revocation = .strict }
        let client = try desk.rig.send(Self.request())
        try await desk.answer(1, Self.fine)
        let server = try desk.rig.upstream.accept()
        try desk.pass(client, server)
        try desk.rig.pass(seconds: 1)
        try client.send(Self.request())
        try await desk.answer(2, .missing)
        #expect(try client.readMessage().body.contains("auth/id-token-revoked"))
    }

    @Test func `an outage is 503`() async throws {
        let client = try desk.rig.send(Self.request())
        try await desk.answer(1, .unavailable)
        try client.expectProblem(503, "auth/store-unavailable")
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func `a route may allow an outage but not a known revocation`() async throws {
        let desk = try Desk { $0.onStoreFailure = .allow }
        let client = try desk.rig.send(Self.request())
        try await desk.answer(1, .unavailable)
        try desk.pass(client, try desk.rig.upstream.accept())
        try client.send(Self.request())
        try await desk.answer(2, .account(validSince: nil, disabled: true))
        #expect(try client.readMessage().status == 401)
        try desk.rig.pass(seconds: 61)
        try client.send(Self.request())
        try await desk.answer(3, .unavailable)
        #expect(try client.readMessage().body.contains("auth/user-disabled"))
    }

    @Test func `a lookup without a response is an outage`() async throws {
        let client = try desk.rig.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        try desk.rig.pass(seconds: 5.1)
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
    }

    /// An earlier lookup does not decide a later request. The later request does not repeat the lookup while it is
    /// open.
    @Test func `a response that is too old for a strict request leaves it waiting`() async throws {
        let desk = try Desk { $0.revocation = .strict }
        let (early, late) = (try desk.rig.connect(), try desk.rig.connect())
        try early.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        let start = desk.rig.clock.clock.monotonic()
        try desk.rig.pass(seconds: 1)
        try late.send(Self.request())
        try desk.rig.until { $0.pending.count == 2 }
        #expect(desk.toolkit.lookUps.count == 2)
        desk.toolkit.lookUps[0].resolve(AccountStatus(state: Self.fine, queriedAt: start))
        try desk.pass(early, try desk.rig.upstream.accept())
        #expect(try desk.rig.onWorker { $0.pending.count } == 1)
        #expect(desk.toolkit.lookUps.count == 2)
        try await desk.answer(2, .missing)
        #expect(try late.readMessage().body.contains("auth/id-token-revoked"))
        #expect(desk.toolkit.lookUps.count == 2)
    }

    /// A lookup that takes longer than `max_staleness` still began after the request arrived.
    @Test func `a response may take longer than max_staleness`() async throws {
        let desk = try Desk(maxStaleness: .seconds(1))
        let client = try desk.rig.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        let start = desk.rig.clock.clock.monotonic()
        try desk.rig.pass(seconds: 2)
        desk.toolkit.lookUps[0].resolve(AccountStatus(state: Self.fine, queriedAt: start))
        try desk.pass(client, try desk.rig.upstream.accept())
        #expect(desk.toolkit.lookUps.count == 1)
    }

    /// The second decision queries the store again but not Identity Toolkit.
    @Test(arguments: [false, true])
    func `an outage is 503 at once if the store is queried too`(isAllowed: Bool) async throws {
        let redis = try FakeRedis { command in
            let fields = command.arguments.count - 2
            let nothing = "*\(fields)\r\n" + String(repeating: "$-1\r\n", count: max(fields, 0))
            return .text(command.name == "HMGET" ? nothing : "+PONG\r\n")
        }
        let desk = try Desk(redis: RedisConfiguration(host: "127.0.0.1", port: redis.port)) {
            $0.revocation = .strict
            $0.onStoreFailure = isAllowed ? .allow : .deny
        }
        let client = try desk.rig.send(Self.request())
        try await desk.answer(1, .unavailable)
        if isAllowed {
            try desk.pass(client, try desk.rig.upstream.accept())
        } else {
            #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        }
        #expect(desk.toolkit.lookUps.count == 1)
        #expect(redis.commands.count { $0.name == "HMGET" } == 4)
    }

    @Test func `a route without revocation has no lookup`() throws {
        let desk = try Desk { $0.revocation = .off }
        let client = try desk.rig.connect()
        try client.send(Self.request())
        #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(desk.toolkit.lookUps.isEmpty)
    }
}

/// Lookups in Identity Toolkit for users whose credential Firebase did not issue.
@Suite struct FirebasesAccountsTests {
    private let desk: Desk

    init() throws { desk = try Desk() }

    private struct Desk {
        let toolkit = ScriptedProviders()
        let links = ScriptedLinks()
        let rig: RequestPathRig

        init() throws {
            let lookups = RemoteLookups(accounts: toolkit, links: links, linkGenerations: LinkGenerations())
            rig = try RequestPathRig(lookups: lookups) {
                $0.accounts = Configuration.Accounts()
                $0.identity.providers = [ProviderSample.apple.provider()]
            }
            try rig.installKeys()
            let view = try SessionDraft.keys().view
            try rig.onWorker { worker in worker.snapshot.sessionSet.map { worker.install(view, set: $0) } }
        }

        func send(_ field: String) throws -> LoopbackSocket {
            let client = try rig.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
            return client
        }

        /// The user of the lookup. The response is that the account does not exist.
        func lookedUp() async throws -> String {
            let lookUp = try await eventually("a look-up") { toolkit.lookUps.first }
            lookUp.resolve(AccountStatus(state: .missing, queriedAt: rig.clock.clock.monotonic()))
            return lookUp.uid
        }
    }

    private static func cookie(ofFirebase: Bool) -> String {
        "Cookie: __session="
            + SessionDraft.signed {
                ofFirebase ? $0.withHeader("src", SessionDraft.source(more: #","firebase":true"#)) : $0
            }
    }

    @Test func `a session of a Firebase user is looked up`() async throws {
        let client = try desk.send(Self.cookie(ofFirebase: true))
        #expect(try await desk.lookedUp() == "user-1")
        #expect(try client.readMessage().body.contains("auth/session-cookie-revoked"))
    }

    @Test func `a session of an account of the gateway is not looked up`() throws {
        let client = try desk.send(Self.cookie(ofFirebase: false))
        // The connection stays open. Otherwise the client would get 502.
        let upstream = try desk.rig.upstream.accept()
        #expect(try upstream.readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(client.isQuiet)
        #expect(desk.toolkit.lookUps.isEmpty)
        withExtendedLifetime(upstream) {}
    }

    @Test(arguments: [nil, 1] as [UnixTime?])
    func `the owner of an identity is looked up unless it was created here`(_ created: UnixTime?) async throws {
        let client = try desk.send("Authorization: Bearer " + ProviderSample.apple.signed())
        let query = try await eventually("a query") { desk.links.queries.first }
        query.resolve(.owner(AccountRecord(uid: "ada", created: created)))
        if created == nil {
            #expect(try await desk.lookedUp() == "ada")
            #expect(try client.readMessage().body.contains("auth/id-token-revoked"))
        } else {
            #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["ada"])
            #expect(desk.toolkit.lookUps.isEmpty)
        }
    }
}
