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

/// H-06: a stream goes on for as long as its permission does.
@Suite struct StreamEndTests {
    private static let day = Duration.seconds(86_400)

    private func key(of token: TokenDraft) throws -> (user: StoreKey, session: StoreKey) {
        let standing = try token.entry(IdentityRenderer(prefix: "X-Auth-", sendsVariable: false, extra: [])).standing
        return (standing.userKey, standing.sessionKey)
    }

    @Test func h06ATunnelEndsWhenItsTokenExpires() throws {
        let tunnel = try TunnelRig { $0.limits.streamIdleTimeout = Self.day }
        try tunnel.rig.pass(seconds: 3499)
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 1)
        #expect(try tunnel.clientIsTold(1008, "auth/id-token-expired"))
        #expect(try tunnel.client.hasFinished())
        #expect(try tunnel.serverIsTold())
        #expect(try tunnel.rig.onWorker { $0.counters.snapshot().requests(.idTokenExpired) } == 1)
        #expect(try tunnel.rig.onWorker { $0.counters.snapshot()[.streamsOpen] } == 0)
    }

    @Test func h06TheGraceProlongsIt() throws {
        let tunnel = try TunnelRig {
            $0.routes[1].streamGrace = .seconds(60)
            $0.routes[1].streamIdleTimeout = Self.day
        }
        try tunnel.rig.pass(seconds: 3559)
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 1)
        #expect(try tunnel.clientIsTold(1008, "auth/id-token-expired"))
    }

    @Test func h06ATunnelEndsWhenItsUserIsRevoked() throws {
        let tunnel = try TunnelRig()
        let token = TokenDraft.idToken()
        try tunnel.rig.tick()
        #expect(tunnel.client.isQuiet)
        tunnel.rig.view.setUser(
            try key(of: token).user, to: RecordWord(time: UnixTime(clamping: ManualClock.start), flag: false))
        try tunnel.rig.tick()
        #expect(try tunnel.clientIsTold(1008, "auth/id-token-revoked"))
        #expect(try tunnel.client.hasFinished())
        #expect(try tunnel.serverIsTold())
    }

    @Test func h06ATunnelEndsWhenItsUserIsDisabledOrItsSessionRevoked() throws {
        let disabled = try TunnelRig()
        let keys = try key(of: .idToken())
        disabled.rig.view.setUser(keys.user, to: RecordWord(time: nil, flag: true))
        try disabled.rig.tick()
        #expect(try disabled.clientIsTold(1008, "auth/user-disabled"))
        let revoked = try TunnelRig()
        revoked.rig.view.setSession(keys.session, to: RecordWord(time: nil, flag: true))
        try revoked.rig.tick()
        #expect(try revoked.clientIsTold(1008, "auth/id-token-revoked"))
    }

    @Test func otherUsersTunnelsGoOn() throws {
        let tunnel = try TunnelRig()
        let other = try key(of: TokenDraft.idToken().with("sub", "\"user-2\"").with("user_id", "\"user-2\""))
        tunnel.rig.view.setUser(other.user, to: RecordWord(time: nil, flag: true))
        try tunnel.rig.tick()
        try tunnel.client.send("on")
        #expect(try tunnel.server.read(2) == "on")
    }

    @Test func aRouteThatDoesNotAskGoesOn() throws {
        let tunnel = try TunnelRig { $0.routes[1].revocation = .off }
        tunnel.rig.view.setUser(try key(of: .idToken()).user, to: RecordWord(time: nil, flag: true))
        try tunnel.rig.tick()
        try tunnel.client.send("on")
        #expect(try tunnel.server.read(2) == "on")
    }

    @Test func aStaleViewEndsNothing() throws {
        let tunnel = try TunnelRig()
        tunnel.rig.view.setStale()
        try tunnel.rig.pass(seconds: 300)
        try tunnel.client.send("on")
        #expect(try tunnel.server.read(2) == "on")
    }

    @Test func inTheMiddleOfAFrameItJustEnds() throws {
        let tunnel = try TunnelRig()
        try tunnel.server.send([0x82, 5, 1, 2])
        #expect(try tunnel.client.readBytes(4) == [0x82, 5, 1, 2])
        try tunnel.client.send([0x82, 0x85, 1])
        #expect(try tunnel.server.readBytes(3) == [0x82, 0x85, 1])
        tunnel.rig.view.setUser(try key(of: .idToken()).user, to: RecordWord(time: nil, flag: true))
        try tunnel.rig.tick()
        #expect(try tunnel.client.readToEnd().text.isEmpty)
        #expect(try tunnel.server.readToEnd().text.isEmpty)
    }

    @Test func whoDoesNotReadIsCutOffAfterASecond() throws {
        let tunnel = try TunnelRig(receiveBuffer: 4096)
        let block = [UInt8](repeating: 0, count: 1 << 16)
        var refusals = 0
        while refusals < 100 { refusals = tunnel.server.sendNow(block[...]) == 0 ? refusals + 1 : 0 }
        tunnel.rig.view.setUser(try key(of: .idToken()).user, to: RecordWord(time: nil, flag: true))
        try tunnel.rig.tick()
        #expect(try tunnel.rig.onWorker { $0.front.registry.count } == 1)
        try tunnel.rig.pass(seconds: 1.1)
        try tunnel.rig.until { $0.front.registry.count == 0 }
    }

    @Test func aTunnelEndsAtMaxStream() throws {
        let tunnel = try TunnelRig(token: nil) {
            $0.limits.maxStream = .seconds(30)
            $0.limits.requestTimeout = .seconds(5)
        }
        try tunnel.rig.pass(seconds: 29)
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 1)
        #expect(try tunnel.clientIsTold(1001, "max_stream"))
        #expect(try tunnel.rig.onWorker { $0.counters.snapshot().requests(.ok) } == 1)
    }

    @Test func aTunnelEndsWithoutBytes() throws {
        let tunnel = try TunnelRig(token: nil)
        try tunnel.rig.pass(seconds: 599)
        try tunnel.server.send([0x81, 1, 0x61])
        #expect(try tunnel.client.readBytes(3) == [0x81, 1, 0x61])
        try tunnel.rig.pass(seconds: 599)
        #expect(tunnel.client.isQuiet)
        try tunnel.rig.pass(seconds: 2)
        #expect(try tunnel.client.readBytes(4) == [0x88, 21, 0x03, 0xE9])
    }

    @Test func drainingEndsATunnelInOrder() throws {
        let tunnel = try TunnelRig()
        try tunnel.rig.onWorker { $0.front.isDraining = true }
        try tunnel.rig.tick()
        #expect(try tunnel.clientIsTold(1001, "going away"))
        #expect(try tunnel.serverIsTold())
    }

    @Test func whoSaidGoodbyeIsNotToldAgain() throws {
        let tunnel = try TunnelRig(token: nil)
        try tunnel.server.send(TunnelRig.close(1000, "bye"))
        #expect(try tunnel.clientIsTold(1000, "bye"))
        try tunnel.rig.onWorker { $0.front.isDraining = true }
        try tunnel.rig.tick()
        #expect(try tunnel.client.readToEnd().text.isEmpty)
    }
}
