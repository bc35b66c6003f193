import GatewayConfiguration
import Testing

@testable import CoreFixtures
@testable import Forwarding
@testable import Gatehouse
@testable import SystemFixtures

/// Requests of HTTP/1.1 clients to an upstream with HTTP/2.
@Suite struct HTTP2UpstreamTests {
    @Test func `a request is converted, and its response returns`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange(
            "GET /a?b HTTP/1.1\r\nHost: api.example\r\nConnection: x-secret\r\nX-Secret: 1\r\nCookie: a=1\r\n\r\n")
        #expect(head.stream == 1)
        #expect(head.endsStream)
        #expect(head.fields.prefix(4).map(\.name) == [":method", ":scheme", ":path", ":authority"])
        #expect(head.value(":path") == "/a?b")
        #expect(head.value(":authority") == "api.example")
        #expect(head.value("cookie") == "a=1")
        for name in ["host", "connection", "x-secret", "transfer-encoding"] { #expect(head.value(name) == nil) }
        #expect(server.received[FramePeer.Setting.enablePush] == 0)
        try server.respond(head.stream, .ok + [("content-length", "5"), ("x-a", "b")])
        try server.send(data: "hello", stream: head.stream, ends: true)
        let response = try client.readMessage()
        #expect(response.status == 200)
        #expect(response.body == "hello")
        #expect(response.value("x-a") == "b")
        #expect(response.value("Connection") == nil)
        // Both the client's connection and the server's serve the next request.
        try client.send(.getRequest)
        let next = try server.head()
        #expect(next.stream == 3)
        try server.respond(next.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        try rig.rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n\r\nhello", "hello"),
        ("Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"),
    ])
    func `a body ends its stream`(rest: String, body: String) throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange("POST / HTTP/1.1\r\nHost: a\r\n\(rest)")
        #expect(!head.endsStream)
        #expect(try server.body(head.stream) == body)
        try server.respond(head.stream, .ok, ends: true)
        #expect(try client.readMessage().value("Content-Length") == "0")
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `a response of unknown length is chunked, with its harmless trailers`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        try server.respond(head.stream, [(":status", "103"), ("link", "</a>")])
        try server.respond(head.stream, .ok)
        try server.send(data: "ab", stream: head.stream)
        try server.respond(
            head.stream, [("grpc-status", "0"), ("x-sum", "1"), ("set-cookie", "a=b"), ("content-length", "1")],
            ends: true)
        #expect(try client.readHead().status == 103)
        #expect(try client.readHead().status == 200)
        #expect(try client.read(through: "\r\n\r\n") == "2\r\nab\r\n0\r\ngrpc-status: 0\r\nx-sum: 1\r\n\r\n")
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `concurrent requests share a connection, and each receives its own response`() throws {
        let rig = try HTTP2Rig()
        let (first, server, head) = try rig.exchange("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        let second = try rig.rig.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        let other = try server.head()
        #expect(other.value(":path") == "/2")
        try server.respond(other.stream, .ok + [("content-length", "1")])
        try server.send(data: "2", stream: other.stream, ends: true)
        #expect(try second.readMessage().body == "2")
        try server.respond(head.stream, .ok + [("content-length", "1")])
        try server.send(data: "1", stream: head.stream, ends: true)
        #expect(try first.readMessage().body == "1")
        #expect(try rig.rig.onWorker { $0.pools[0].openCount } == 1)
    }

    @Test func `END_STREAM after all bytes of a response causes no reset`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        try server.respond(head.stream, .ok + [("content-length", "2")])
        try server.send(data: "ok", stream: head.stream)
        #expect(try client.readMessage().body == "ok")
        try server.send(data: "", stream: head.stream, ends: true)
        // The next frame is the next request.
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `M-20: a body in response to HEAD is not forwarded`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.respond(head.stream, .ok + [("content-length", "5")])
        try server.send(data: "hello", stream: head.stream)
        #expect(try client.readHead().value("content-length") == "5")
        try client.send(.getRequest)
        _ = try server.resetCode(head.stream)
        let next = try server.head()
        try server.respond(next.stream, [(":status", "404")], ends: true)
        #expect(try client.readHead().status == 404)
    }

    /// Each response ends with 502, or with the client's connection after its head.
    static let invalid: [(fields: [(String, String)], ends: Bool)] = [
        ([("x", "y")], true), ([(":status", "200"), (":status", "200")], true), ([(":status", "+200")], true),
        ([(":status", "1000")], true), ([(":status", "20")], true),
        ([(":status", "200"), ("connection", "close")], true),
        ([(":status", "200"), ("X-Upper", "a")], true), ([(":status", "200"), ("x", "a\rb")], true),
        ([(":status", "200"), ("x", "a\r\nSet-Cookie: b")], true),
        ([(":status", "200"), ("content-length", "5")], true),
        ([(":status", "101")], false), ([(":status", "103")], true), ([(":status", "200"), (":path", "/")], true),
        ([(":status", "200"), ("transfer-encoding", "chunked")], false),
    ]

    @Test(arguments: invalid.indices)
    func `M-23, M-59: an invalid response is 502, and the connection serves others`(index: Int) throws {
        let (fields, ends) = Self.invalid[index]
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        let (other, another) = (try rig.rig.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n"), try server.head())
        try server.respond(head.stream, fields, ends: ends)
        try client.expectProblem(502, "upstream/invalid-response")
        try server.respond(another.stream, .ok + [("content-length", "0")], ends: true)
        #expect(try other.readMessage().status == 200)
    }

    @Test func `M-23: interim responses without end are bounded`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        for _ in 0..<10_000 {
            let frame = FramePeer.frame(
                FramePeer.Kind.headers, flags: 4, stream: head.stream, FramePeer.block([(":status", "103")]))
            guard rig.rig.upstream.hasConnection == false, server.socket.sendNow(frame[...]) == frame.count else {
                break
            }
        }
        for _ in 0..<UpstreamExchange.maximumInterim { #expect(try client.readHead().status == 103) }
        try client.expectProblem(502, "upstream/invalid-response")
    }

    @Test(arguments: [("longer than announced", false), ("1", true)])
    func `M-59: a body of another length than content-length is never completed`(body: String, ends: Bool) throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        try server.respond(head.stream, .ok + [("content-length", "10")])
        try server.send(data: body, stream: head.stream, ends: ends)
        // The connection may end before the head is sent.
        let parts = try client.readToEnd().text.split(separator: "\r\n\r\n", maxSplits: 1)
        #expect(parts.count < 2 || parts[1].utf8.count < 10)
        if !ends { _ = try server.resetCode(head.stream) }
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `a client that leaves cancels its stream at once, and no other`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        client.reset()
        #expect(try server.resetCode(head.stream) == 8)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `M-56: resets with NO_ERROR after complete responses are no failures`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].ejection?.failures = 1 }
        let (client, server, head) = try rig.exchange()
        try server.respond(head.stream, [(":status", "204")], ends: true)
        try server.reset(head.stream, 0)
        #expect(try client.readHead().status == 204)
        // More than NIO permits by default, and than resets replace a connection.
        for _ in 0..<2_100 {
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let next = try server.head()
            try server.respond(next.stream, .ok, ends: true)
            try server.reset(next.stream, 0)
            #expect(try client.readMessage().status == 200)
        }
        #expect(try rig.rig.onWorker { $0.pools[0].ejections } == [0])
    }

    @Test func `M-60: a head that exceeds a frame is 431, and another user's fields arrive as sent`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange("GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\r\n")
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        let large = String(repeating: "~", count: 17_000)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Large: \(large)\r\n\r\n")
        try client.expectProblem(431, "request/head-too-large")
        let other = try rig.rig.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: 2\r\n\r\n")
        let next = try server.head()
        #expect(next.value("x-a") == "2")
        #expect(next.value("x-large") == nil)
        try server.respond(next.stream, [(":status", "204")], ends: true)
        #expect(try other.readHead().status == 204)
    }

    @Test func `a value that is not UTF-8 is rejected instead of changed`() throws {
        let rig = try HTTP2Rig()
        let client = try rig.rig.connect()
        try client.send(Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xE9] + Array("\r\n\r\n".utf8))
        let server = try rig.accept()
        try client.expectProblem(400, "request/malformed")
        #expect(try rig.serveAnother(on: server) == 200)
    }
}
