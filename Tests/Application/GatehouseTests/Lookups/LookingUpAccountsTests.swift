import Authorization
import GatewayConfiguration
import GatewayCore
import Redis
import RequestPipeline
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import RedisFixtures
@testable import SystemFixtures

/// Requests of Firebase users where Identity Toolkit is asked besides the store.
@Suite struct LookingUpAccountsTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    private static let token = TokenDraft.idToken().signed()
    private static let fine = AccountStatus.Answer.account(validSince: nil, disabled: false)

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

        func answer(_ number: Int, _ answer: AccountStatus.Answer) async throws {
            let lookUp = try await eventually("\(number) look-ups") {
                toolkit.lookUps.count >= number ? toolkit.lookUps[number - 1] : nil
            }
            lookUp.answer(AccountStatus(answer: answer, askedAt: rig.clock.clock.monotonic()))
        }

        /// Reads a request at the upstream and answers it.
        func pass(_ client: LoopbackSocket, _ server: LoopbackSocket) throws {
            #expect(try server.readHead().values("X-Auth-Uid") == ["user-1"])
            try server.send(LookingUpAccountsTests.ok)
            #expect(try client.readMessage().status == 200)
        }
    }

    @Test func aRequestWaitsForTheAnswerWhichCountsForMaxStaleness() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
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

    @Test func aStrictRouteAsksForEachRequest() async throws {
        let desk = try Desk { $0.revocation = .strict }
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.answer(1, Self.fine)
        let server = try desk.rig.upstream.accept()
        try desk.pass(client, server)
        try desk.rig.pass(seconds: 1)
        try client.send(Self.request())
        try await desk.answer(2, .missing)
        #expect(try client.readMessage().body.contains("auth/id-token-revoked"))
    }

    @Test func anOutageIs503() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.answer(1, .unavailable)
        let answer = try client.readMessage()
        #expect(answer.status == 503)
        #expect(answer.body.contains("auth/store-unavailable"))
        #expect(!desk.rig.upstream.hasConnection)
    }

    @Test func aRouteMayAllowAnOutageButNotWhatItHides() async throws {
        let desk = try Desk { $0.onStoreFailure = .allow }
        let client = try desk.rig.connect()
        try client.send(Self.request())
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

    @Test func anAnswerThatDoesNotComeIsAnOutage() async throws {
        let desk = try Desk()
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        try desk.rig.pass(seconds: 5.1)
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
    }

    /// What was asked before a request came neither decides it nor asks anew for it: its own question is on its way.
    @Test func anAnswerThatIsTooOldForAStrictRequestLeavesItWaiting() async throws {
        let desk = try Desk { $0.revocation = .strict }
        let (early, late) = (try desk.rig.connect(), try desk.rig.connect())
        try early.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        let asked = desk.rig.clock.clock.monotonic()
        try desk.rig.pass(seconds: 1)
        try late.send(Self.request())
        try desk.rig.until { $0.pending.count == 2 }
        #expect(desk.toolkit.lookUps.count == 2)
        desk.toolkit.lookUps[0].answer(AccountStatus(answer: Self.fine, askedAt: asked))
        try desk.pass(early, try desk.rig.upstream.accept())
        #expect(try desk.rig.onWorker { $0.pending.count } == 1)
        #expect(desk.toolkit.lookUps.count == 2)
        try await desk.answer(2, .missing)
        #expect(try late.readMessage().body.contains("auth/id-token-revoked"))
        #expect(desk.toolkit.lookUps.count == 2)
    }

    /// An answer that takes longer than `max_staleness` is still one that was asked for after the request came.
    @Test func anAnswerMayTakeLongerThanMaxStaleness() async throws {
        let desk = try Desk(maxStaleness: .seconds(1))
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try desk.rig.until { $0.pending.count == 1 }
        let asked = desk.rig.clock.clock.monotonic()
        try desk.rig.pass(seconds: 2)
        desk.toolkit.lookUps[0].answer(AccountStatus(answer: Self.fine, askedAt: asked))
        try desk.pass(client, try desk.rig.upstream.accept())
        #expect(desk.toolkit.lookUps.count == 1)
    }

    /// The store is asked anew for the second decision; that must not lead back to Identity Toolkit.
    @Test("an outage is 503 at once where the store is asked as well", arguments: [false, true])
    func anOutageDoesNotGoRoundWithTheStore(isAllowed: Bool) async throws {
        let redis = try FakeRedis { command in
            let fields = command.arguments.count - 2
            let nothing = "*\(fields)\r\n" + String(repeating: "$-1\r\n", count: max(fields, 0))
            return .text(command.name == "HMGET" ? nothing : "+PONG\r\n")
        }
        let desk = try Desk(redis: RedisConfiguration(host: "127.0.0.1", port: redis.port)) {
            $0.revocation = .strict
            $0.onStoreFailure = isAllowed ? .allow : .deny
        }
        let client = try desk.rig.connect()
        try client.send(Self.request())
        try await desk.answer(1, .unavailable)
        if isAllowed {
            try desk.pass(client, try desk.rig.upstream.accept())
        } else {
            #expect(try client.readMessage().body.contains("auth/store-unavailable"))
        }
        #expect(desk.toolkit.lookUps.count == 1)
        #expect(redis.commands.count { $0.name == "HMGET" } == 4)
    }

    @Test func routesThatDoNotAskAboutRevocationsLookNobodyUp() throws {
        let desk = try Desk { $0.revocation = .off }
        let client = try desk.rig.connect()
        try client.send(Self.request())
        #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(desk.toolkit.lookUps.isEmpty)
    }
}
