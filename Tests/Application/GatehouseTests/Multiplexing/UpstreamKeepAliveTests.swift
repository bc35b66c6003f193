import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// The PING frames of the gateway on HTTP/2 connections to servers, and their configuration for clients.
@Suite struct UpstreamKeepAliveTests {
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"

    private func rig() throws -> HTTP2Rig {
        try HTTP2Rig {
            $0.upstreams[0].http2.pingInterval = .seconds(30)
            $0.upstreams[0].http2.pingTimeout = .seconds(5)
        }
    }

    @Test func `by default, a server is sent no PING`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        try rig.rig.pass(seconds: 59)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        let next = try rig.rig.send()
        #expect(try server.next().type == FramePeer.Kind.headers)
        withExtendedLifetime(next) {}
    }

    @Test func `the connection of a server that does not respond to PING is closed, before its requests time out`()
        throws
    {
        let rig = try rig()
        let (post, server, _) = try rig.exchange(Self.post)
        let get = try rig.rig.send()
        _ = try server.head()
        try rig.rig.pass(seconds: 31)
        let ping = try server.next()
        #expect(ping.type == FramePeer.Kind.ping && ping.flags == 0 && ping.payload.count == 8)
        try rig.rig.pass(seconds: 4)
        try rig.rig.pass(seconds: 2)
        for client in [post, get] { try client.expectProblem(502, "upstream/unreachable") }
        _ = try server.socket.readToEnd()
        #expect(rig.log.text.contains("the server did not respond to PING"))
        let (next, other, head) = try rig.exchange()
        try other.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try next.readHead().status == 204)
    }

    @Test func `an acknowledgement keeps the connection`() throws {
        let rig = try rig()
        let (client, server, head) = try rig.exchange()
        try rig.rig.pass(seconds: 31)
        let ping = try server.next()
        try server.send(FramePeer.Kind.ping, flags: 1, ping.payload)
        try server.untilRead()
        try rig.rig.pass(seconds: 20)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `an idle connection is sent no PING before its next request`() throws {
        let rig = try rig()
        let (client, server, head) = try rig.exchange()
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        try rig.rig.pass(seconds: 40)
        let next = try rig.rig.send()
        #expect(try server.next().type == FramePeer.Kind.headers)
        try rig.rig.pass(seconds: 0.1)
        #expect(try server.next().type == FramePeer.Kind.ping)
        withExtendedLifetime(next) {}
    }

    @Test func `a client is sent PING as configured`() throws {
        let rig = try RequestPathRig {
            $0.listen[0].protocols = [.http1, .http2Cleartext]
            $0.limits.http2.pingInterval = .seconds(30)
            $0.limits.http2.pingTimeout = .seconds(5)
        }
        let client = try FramePeer(connecting: rig.connect())
        try client.untilSettled()
        try rig.pass(seconds: 31)
        let ping = try client.next()
        #expect(ping.type == FramePeer.Kind.ping && ping.flags == 0)
        try rig.pass(seconds: 6)
        #expect(try client.next().type == FramePeer.Kind.goAway)
    }
}
