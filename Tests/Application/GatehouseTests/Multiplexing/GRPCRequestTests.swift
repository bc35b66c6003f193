import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Forwarding
@testable import Gatehouse
@testable import SystemFixtures

/// gRPC calls and event streams to an upstream with HTTP/2, and their times.
@Suite struct GRPCRequestTests {
    private static func call(_ timeout: String, _ path: String = "/p.S/M") -> String {
        """
        POST \(path) HTTP/1.1\r
        Host: a\r
        Content-Type: application/grpc\r
        grpc-timeout: \(timeout)\r
        Content-Length: 5\r
        \r
        \u{0}\u{0}\u{0}\u{0}\u{0}
        """
    }

    @Test func `a gRPC call to an upstream of HTTP/1.1 is UNIMPLEMENTED and reaches no server`() throws {
        let rig = try RequestPathRig()
        let client = try rig.send(Self.call("60S"))
        let response = try client.readMessage()
        #expect(response.status == 200)
        #expect(response.value("grpc-status") == "12")
        #expect(response.value("grpc-message") == "request/grpc-unsupported")
        #expect(try rig.onWorker { $0.counters.snapshot().requests(.grpcUnsupported) } == 1)
        #expect(try rig.pool() == [0, 0, 0])
    }

    @Test func `K-12: a call that waited has less time at the server`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].connections = 1 }
        let (first, server, head) = try rig.exchange(settings: [(FramePeer.Setting.streams, 1)])
        let second = try rig.rig.send(Self.call("60S"))
        try rig.rig.until { $0.pools[0].waitingCount == 1 }
        try rig.rig.pass(seconds: 20)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try first.readHead().status == 204)
        let call = try server.head()
        #expect(call.value("grpc-timeout") == "40000000u")
        #expect(call.value("te") == "trailers")
        #expect(try server.body(call.stream).utf8.count == 5)
        try server.respond(call.stream, .ok + [("content-type", "application/grpc"), ("grpc-status", "0")], ends: true)
        #expect(try second.readMessage().value("grpc-status") == "0")
    }

    @Test(arguments: ["", "5", "S", "123456789S", "5x", "-1S"])
    func `an invalid timeout is left to the server`(timeout: String) throws {
        let rig = try HTTP2Rig()
        let (_, _, head) = try rig.exchange(Self.call(timeout))
        #expect(head.value("grpc-timeout") == timeout)
        try rig.rig.pass(seconds: 10)
    }

    @Test func `K-12: the end of a call's time is DEADLINE_EXCEEDED and cancels its stream`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange(Self.call("5S"))
        _ = try server.body(head.stream)
        try rig.rig.pass(seconds: 4)
        #expect(client.isQuiet)
        try rig.rig.pass(seconds: 2)
        #expect(try client.readMessage().value("grpc-status") == "4")
        #expect(try server.resetCode(head.stream) == 8)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `a call of days is bounded without an overflow`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange(Self.call("99999999H"))
        let left = try #require(head.value("grpc-timeout"))
        #expect(left.hasSuffix("H") || left.hasSuffix("M") || left.hasSuffix("S"))
        _ = try server.body(head.stream)
        try server.respond(head.stream, .ok + [("grpc-status", "0")], ends: true)
        #expect(try client.readMessage().value("grpc-status") == "0")
    }

    @Test func `each event of a stream is forwarded immediately, and the stream ends with its token`() throws {
        let rig = try HTTP2Rig { $0.limits.streamIdleTimeout = .seconds(86_400) }
        try rig.rig.installKeys()
        let token = TokenDraft.idToken().signed()
        let (client, server, head) = try rig.exchange(
            "GET /private/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n")
        try server.respond(head.stream, .ok + [("content-type", "text/event-stream")])
        #expect(try client.readHead().status == 200)
        for number in 0..<10 {
            try server.send(data: "data:\(number)\n\n", stream: head.stream)
            #expect(try client.read(through: "\n\n\r\n") == "8\r\ndata:\(number)\n\n\r\n")
        }
        try rig.rig.pass(seconds: 3500)
        #expect(try client.readToEnd().text.isEmpty)
        // The server sent nothing for long, so that the connection is closed with its last stream.
        _ = try server.socket.readToEnd()
        #expect(try rig.rig.onWorker { $0.counters.snapshot().requests(.idTokenExpired) } == 1)
    }
}
