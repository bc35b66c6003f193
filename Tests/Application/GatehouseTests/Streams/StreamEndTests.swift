import Authentication
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import Revocation
@testable import SystemFixtures

/// H-06: a stream ends with its permission.
@Suite struct StreamEndTests {
    private static let day = Duration.seconds(86_400)

    private func key(of token: TokenDraft) throws -> (user: StoreKey, session: StoreKey) {
        let facts = try token.entry(IdentityRenderer(prefix: "X-Auth-", sendsVariable: false, extra: [])).facts
        return (facts.userKey, facts.sessionKey)
    }

    @Test(arguments: [0, 60]) func `H-06: a tunnel ends when its token expires, after stream_grace`(grace: Int) throws {
        let tunnel = try TunnelRig {
            $0.routes[1].streamGrace = .seconds(grace)
            $0.routes[1].streamIdleTimeout = Self.day
        }
        try tunnel.rig.pass(seconds: Double(3499 + grace))
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 1)
        #expect(try tunnel.clientReceivesClose(1008, "auth/id-token-expired"))
        #expect(try tunnel.client.hasFinished())
        #expect(try tunnel.serverReceivesClose())
        #expect(try tunnel.rig.onWorker { $0.counters.snapshot().requests(.idTokenExpired) } == 1)
        #expect(try tunnel.rig.onWorker { $0.counters.snapshot()[.streamsOpen] } == 0)
    }

    /// The user's token expires after 3,500 s. The App Check token expires earlier or later.
    @Test(arguments: [
        (Configuration.AppCheckMode.enforce, 1000, 1000, "app-check/token-expired"),
        (.enforce, 5000, 3500, "auth/id-token-expired"), (.monitor, 1000, 3500, "auth/id-token-expired"),
    ])
    func `H-06: a tunnel ends with the first of its tokens`(
        mode: Configuration.AppCheckMode, lifetime: Int64, end: Int, code: String
    ) throws {
        let app = AppCheckSample.draft().with("exp", "\(ManualClock.start + lifetime)").signed()
        let tunnel = try TunnelRig(fields: ["X-Firebase-AppCheck: \(app)"]) {
            $0.identity.firebase?.appCheck = AppCheckSample.configuration
            $0.routes[1].appCheck = mode
            $0.routes[1].streamGrace = .seconds(0)
            $0.routes[1].streamIdleTimeout = Self.day
        }
        try tunnel.rig.pass(seconds: Double(end - 1))
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 1)
        #expect(try tunnel.clientReceivesClose(1008, code))
        #expect(try tunnel.client.hasFinished())
    }

    private static let revocation = RecordWord(time: UnixTime(clamping: ManualClock.start), flag: false)
    private static let flag = RecordWord(time: nil, flag: true)

    @Test(arguments: [
        (revocation, RecordWord.none, "auth/id-token-revoked"), (flag, .none, "auth/user-disabled"),
        (.none, flag, "auth/id-token-revoked"),
    ])
    func `H-06: a tunnel ends when its user is revoked or disabled or its session revoked`(
        user: RecordWord, session: RecordWord, code: String
    ) throws {
        let tunnel = try TunnelRig()
        try tunnel.rig.tick()
        #expect(tunnel.client.isQuiet)
        let keys = try key(of: .idToken())
        tunnel.rig.view.setUser(keys.user, to: user)
        tunnel.rig.view.setSession(keys.session, to: session)
        try tunnel.rig.tick()
        #expect(try tunnel.clientReceivesClose(1008, code))
        #expect(try tunnel.client.hasFinished())
        #expect(try tunnel.serverReceivesClose())
    }

    @Test func `tunnels of other users continue`() throws {
        let tunnel = try TunnelRig()
        let other = try key(of: TokenDraft.idToken().with("sub", "\"user-2\"").with("user_id", "\"user-2\""))
        tunnel.rig.view.setUser(other.user, to: Self.flag)
        try tunnel.rig.tick()
        #expect(try tunnel.isOpen())
    }

    @Test func `a tunnel without revocation continues`() throws {
        let tunnel = try TunnelRig { $0.routes[1].revocation = .off }
        tunnel.rig.view.setUser(try key(of: .idToken()).user, to: Self.flag)
        try tunnel.rig.tick()
        #expect(try tunnel.isOpen())
    }

    @Test func `a stale view ends nothing`() throws {
        let tunnel = try TunnelRig()
        tunnel.rig.view.setStale()
        try tunnel.rig.pass(seconds: 300)
        #expect(try tunnel.isOpen())
    }

    @Test func `a tunnel in the middle of a frame ends without a close frame`() throws {
        let tunnel = try TunnelRig()
        try tunnel.server.send([0x82, 5, 1, 2])
        #expect(try tunnel.client.readBytes(4) == [0x82, 5, 1, 2])
        try tunnel.client.send([0x82, 0x85, 1])
        #expect(try tunnel.server.readBytes(3) == [0x82, 0x85, 1])
        tunnel.rig.view.setUser(try key(of: .idToken()).user, to: Self.flag)
        try tunnel.rig.tick()
        #expect(try tunnel.client.readToEnd().text.isEmpty)
        #expect(try tunnel.server.readToEnd().text.isEmpty)
    }

    @Test func `a client that does not read is closed after a second`() throws {
        let tunnel = try TunnelRig(receiveBuffer: 4096)
        let block = [UInt8](repeating: 0, count: 1 << 16)
        var refusals = 0
        while refusals < 100 { refusals = tunnel.server.sendNow(block[...]) == 0 ? refusals + 1 : 0 }
        tunnel.rig.view.setUser(try key(of: .idToken()).user, to: Self.flag)
        try tunnel.rig.tick()
        #expect(try tunnel.rig.onWorker { $0.connectionContext.registry.count } == 1)
        try tunnel.rig.pass(seconds: 1.1)
        try tunnel.rig.until { $0.connectionContext.registry.count == 0 }
    }

    @Test func `a tunnel ends at max_stream`() throws {
        let tunnel = try TunnelRig(token: nil) {
            $0.limits.maxStream = .seconds(30)
            $0.limits.requestTimeout = .seconds(5)
        }
        try tunnel.rig.pass(seconds: 29)
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 1)
        #expect(try tunnel.clientReceivesClose(1001, "max_stream"))
        #expect(try tunnel.rig.onWorker { $0.counters.snapshot().requests(.ok) } == 1)
    }

    @Test func `a tunnel ends without bytes`() throws {
        let tunnel = try TunnelRig(token: nil)
        try tunnel.rig.pass(seconds: 599)
        try tunnel.server.send([0x81, 1, 0x61])
        #expect(try tunnel.client.readBytes(3) == [0x81, 1, 0x61])
        try tunnel.rig.pass(seconds: 599)
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 2)
        #expect(try tunnel.client.readBytes(4) == [0x88, 21, 0x03, 0xE9])
    }

    @Test func `draining closes a tunnel with a close frame`() throws {
        let tunnel = try TunnelRig()
        try tunnel.rig.onWorker { $0.connectionContext.isDraining = true }
        try tunnel.rig.tick()
        #expect(try tunnel.clientReceivesClose(1001, "going away"))
        #expect(try tunnel.serverReceivesClose())
    }

    @Test func `a tunnel that sent a close frame receives no other`() throws {
        let tunnel = try TunnelRig(token: nil)
        try tunnel.server.send(TunnelRig.close(1000, "bye"))
        #expect(try tunnel.clientReceivesClose(1000, "bye"))
        try tunnel.rig.onWorker { $0.connectionContext.isDraining = true }
        try tunnel.rig.tick()
        #expect(try tunnel.client.readToEnd().text.isEmpty)
    }
}
