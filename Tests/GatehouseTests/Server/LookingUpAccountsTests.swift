import RedisFixtures
import Testing

@testable import Gatehouse

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

        init(_ adjust: (inout Configuration.Route) -> Void = { _ in }) throws {
            rig = try RequestPathRig(others: Worker.Others(accounts: toolkit)) { adjust(&$0.routes[1]) }
            try rig.installKeys()
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
        try desk.rig.until { $0.waiters.count == 1 }
        try desk.rig.pass(seconds: 5.1)
        #expect(try client.readMessage().body.contains("auth/store-unavailable"))
    }

    @Test func routesThatDoNotAskAboutRevocationsLookNobodyUp() throws {
        let desk = try Desk { $0.revocation = .off }
        let client = try desk.rig.connect()
        try client.send(Self.request())
        #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(desk.toolkit.lookUps.isEmpty)
    }
}
