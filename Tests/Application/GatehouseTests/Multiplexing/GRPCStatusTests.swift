import Authentication
import Forwarding
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import Revocation
@testable import SystemFixtures

/// Calls of a client with HTTP/2 that the gateway must end after the head of their response.
@Suite struct GRPCStatusTests {
    private let rig: HTTP2Rig
    private let client: FramePeer
    private let server: FramePeer
    private let call: FramePeer.Head

    /// A call whose response has begun, and its server.
    private init(
        _ more: [(String, String)] = [], type: String = "application/grpc", window: UInt32 = 65_535,
        path: String = "/p.S/M"
    ) throws {
        rig = try HTTP2Rig {
            $0.listen[0].protocols = [.http1, .http2Cleartext]
            $0.routes[1].path = "/private/**"
        }
        try rig.rig.installKeys()
        client = try FramePeer(connecting: rig.rig.connect(), settings: [(FramePeer.Setting.window, window)])
        let head = [
            (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "a"), ("content-type", type),
        ]
        try client.respond(1, head + more)
        server = try rig.accept()
        call = try server.head()
        try server.respond(call.stream, .ok + [("content-type", type)])
        let response = try client.head()
        #expect(response.value(":status") == "200" && !response.endsStream)
        try server.send(data: "abcde", stream: call.stream)
    }

    init() throws { try self.init([]) }

    private func expectStatus(_ status: String, _ code: String) throws {
        let trailers = try client.trailers()
        #expect(trailers.endsStream && trailers.value("grpc-status") == status)
        #expect(trailers.value("grpc-message") == code)
        // The rest of the request is refused without an error.
        #expect(try client.resetCode(1) == 0)
    }

    @Test(arguments: [false, true])
    func `a call whose server ends is UNAVAILABLE`(closesConnection: Bool) throws {
        if closesConnection { server.socket.reset() } else { try server.reset(call.stream, 2) }
        try expectStatus("14", "upstream/invalid-response")
    }

    @Test func `a call that a revocation ends is UNAUTHENTICATED`() throws {
        let token = TokenDraft.idToken()
        let test = try Self([("authorization", "Bearer \(token.signed())")], path: "/private/x")
        let entry = try token.entry(IdentityRenderer(prefix: "X-Auth-", sendsVariable: false, extra: []))
        test.rig.rig.view.setUser(
            entry.facts.userKey, to: RecordWord(time: UnixTime(clamping: ManualClock.start), flag: false))
        try test.rig.rig.pass(seconds: 11)
        try test.expectStatus("16", "auth/id-token-revoked")
        #expect(try test.server.resetCode(test.call.stream) == 8)
    }

    @Test func `K-12: a call whose time ends after its head is DEADLINE_EXCEEDED`() throws {
        let test = try Self([("grpc-timeout", "5S")])
        try test.rig.rig.pass(seconds: 6)
        try test.expectStatus("4", "upstream/timeout")
    }

    @Test func `a response of another type is reset`() throws {
        let test = try Self(type: "text/plain")
        try test.server.reset(test.call.stream, 2)
        #expect(try test.client.resetCode(1) == 2)
    }

    @Test func `a client without a window gets a reset after a short time`() throws {
        let test = try Self(window: 0)
        try test.server.untilRead()
        try test.server.reset(test.call.stream, 2)
        try test.rig.rig.until { $0.counters.snapshot().requests(.upstreamInvalidResponse) == 1 }
        #expect(test.client.socket.isQuiet)
        try test.rig.rig.pass(seconds: 2)
        #expect(try test.client.resetCode(1) != 0)
        #expect(try test.rig.serveAnother(on: test.server) == 200)
    }
}
