import Foundation
import GatewayConfiguration
import GatewayCore
import NIOHPACK
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// The requests that an upstream receives for unusual and hostile input, in each combination of the protocols of client
/// and upstream. The rows are in the table of docs/internals/http-differences.md.
@Suite struct CombinationTests {
    /// A request of a client, byte by byte or field by field.
    enum Input: Sendable {
        case http1([UInt8])
        /// A head, and a body if there is one.
        case http2([(String, String)], body: String? = nil)

        static func text(_ text: String) -> Input { .http1(Array(text.utf8)) }
    }

    /// A request that an upstream received, in the terms of both protocols.
    struct Received: Equatable {
        var method = "GET"
        var target = "/a"
        var authority = "a"
        /// Fields among those that the row is about.
        var fields: [String] = []
        var body = ""
        var isChunked = false
    }

    struct Row: Sendable, CustomTestStringConvertible {
        /// The first cell of the row in the table.
        let name: String
        let inputs: [Input]
        /// `nil` if the upstream receives nothing, and the client an error.
        let http1: Received?
        let http2: Received?
        /// Whether the gateway opens a connection to the upstream before it rejects the request.
        var connects = false

        var testDescription: String { name }
    }

    private static let target = [(":method", "GET"), (":scheme", "http"), (":path", "/a"), (":authority", "a")]

    private static func target(without name: String) -> [(String, String)] { target.filter { $0.0 != name } }

    private static func get(_ fields: String) -> Input { .text("GET /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n") }

    private static func post(_ fields: String, _ body: String) -> Input {
        .text("POST /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)")
    }

    private static func more(_ fields: (String, String)...) -> Input { .http2(target + fields) }

    /// Two bytes of the code for HPACK each, so that the head exceeds one frame when it is encoded.
    private static let long = String(repeating: "!", count: 9_000)

    static let rows = [
        Row(
            name: "HTTP/1.1: both `Content-Length` and `Transfer-Encoding`, a repeated or invalid length",
            inputs: [
                post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"), post("Content-Length: +5\r\n", "hello"),
            ], http1: nil, http2: nil),
        Row(
            name: "HTTP/1.1: `Connection: x`, `Keep-Alive`, `Upgrade: h2c`, `HTTP2-Settings`, `TE`",
            inputs: [
                get(
                    "Connection: x\r\nX: 1\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
                        + "TE: trailers\r\n")
            ], http1: Received(), http2: Received()),
        Row(
            name: "HTTP/1.1: a value with a byte that is not UTF-8",
            inputs: [.http1(Array("GET /a HTTP/1.1\r\nHost: a\r\nX: b".utf8) + [0xFF] + Array("\r\n\r\n".utf8))],
            http1: Received(fields: ["x: b\u{FFFD}"]), http2: nil, connects: true),
        Row(
            name: "HTTP/1.1: a target that is an `http` URI",
            inputs: [.text("GET http://b.example/p?q HTTP/1.1\r\nHost: b.example\r\n\r\n")],
            http1: Received(target: "/p?q", authority: "b.example"),
            http2: Received(target: "/p?q", authority: "b.example")),
        Row(
            name: "HTTP/1.1: a body in chunks",
            inputs: [post("Transfer-Encoding: chunked\r\n", "2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")],
            http1: Received(method: "POST", body: "hello", isChunked: true),
            http2: Received(method: "POST", body: "hello")),
        Row(
            name: "HTTP/2: a pseudo-header that is missing, repeated, unknown or late",
            inputs: [
                .http2(target(without: ":path")), .http2(target(without: ":method")), more((":path", "/admin")),
                more((":foo", "x")), more(("x", "1"), (":status", "200")), .http2([("x", "1")] + target),
            ], http1: nil, http2: nil),
        Row(
            name: "HTTP/2: a name with a capital, or a value with CR, LF or NUL",
            inputs: [
                more(("X", "1")), more(("x", "1\r\ny: 2")), more(("x", "1\ny: 2")), more(("x", "1\u{0}")),
                .http2(target(without: ":path") + [(":path", "/a HTTP/1.1\r\nX: 1")]),
            ], http1: nil, http2: nil),
        Row(
            name: "HTTP/2: `connection`, `transfer-encoding`, `upgrade`, `te: gzip`",
            inputs: [
                more(("connection", "x")), .http2(target + [("transfer-encoding", "chunked")], body: "0\r\n\r\n"),
                more(("upgrade", "h2c")), more(("te", "gzip")), more(("keep-alive", "5")),
                more(("proxy-connection", "close")),
            ], http1: nil, http2: nil),
        Row(
            name: "HTTP/2: `:authority` and another `host`", inputs: [more(("host", "admin"))], http1: nil,
            http2: nil),
        Row(
            name: "HTTP/2: GET with DATA", inputs: [.http2(target, body: "GET /admin HTTP/1.1\r\n\r\n")],
            http1: Received(body: "GET /admin HTTP/1.1\r\n\r\n", isChunked: true),
            http2: Received(body: "GET /admin HTTP/1.1\r\n\r\n")),
        Row(
            name: "HTTP/2: two `cookie` fields", inputs: [more(("cookie", "a=1"), ("cookie", "b=2"))],
            http1: Received(fields: ["cookie: a=1; b=2"]), http2: Received(fields: ["cookie: a=1; b=2"])),
        Row(
            name: "HTTP/2: CONNECT",
            inputs: [
                .http2([(":method", "CONNECT"), (":authority", "a:22")]), .http2([(":method", "CONNECT")]),
                .http2([(":method", "CONNECT"), (":scheme", "http"), (":path", "/a"), (":authority", "a:22")]),
            ], http1: nil, http2: nil),
        Row(
            name: "either: a head beyond 16 KiB encoded", inputs: [get("X: \(long)\r\n"), more(("x", long))],
            http1: Received(fields: ["x: \(long)"]), http2: nil, connects: true),
    ]

    /// Rows of the table with tests of their own.
    static let others = [
        // Below.
        "HTTP/2: DATA of another length than `content-length`",
        // TunnelTests, HTTP2WebSocketTests, and the tests of configuration errors.
        "either: an upgrade or a WebSocket",
    ]

    @Test func `the rows are those of the documentation`() throws {
        let page = Repository.root.appending(path: "docs/internals/http-differences.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| the client sends |") })
        let names = lines[(start + 2)...].prefix { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
        }
        #expect(Set(names) == Set(Self.rows.map(\.name) + Self.others))
    }

    @Test(arguments: rows)
    func `an upstream with HTTP/1.1 receives what the table says`(row: Row) throws {
        for input in row.inputs {
            let rig = try Self.rig(.http1)
            let client = try Self.send(input, to: rig)
            guard let expected = row.http1 else {
                try Self.expectError(client)
                #expect(try rig.pool() == [0, 0, 0])
                continue
            }
            #expect(try Self.receiveHTTP1(rig.upstream.accept()) == expected)
        }
    }

    @Test(arguments: rows)
    func `an upstream with HTTP/2 receives what the table says`(row: Row) throws {
        for input in row.inputs {
            let rig = try Self.rig(.h2c)
            let client = try Self.send(input, to: rig)
            guard let expected = row.http2 else {
                let server = row.connects ? try FramePeer(rig.upstream.accept()) : nil
                try Self.expectError(client)
                if server == nil { #expect(try rig.pool() == [0, 0, 0]) }
                continue
            }
            #expect(try Self.receiveHTTP2(FramePeer(rig.upstream.accept())) == expected)
        }
    }

    /// A head that announces five bytes, and the first upstream to receive it.
    private func announced(_ upstream: Configuration.Upstream.UpstreamProtocol) throws -> (RequestPathRig, FramePeer) {
        let rig = try Self.rig(upstream)
        let client = try FramePeer(connecting: rig.connect())
        try client.respond(1, [(":method", "POST")] + Self.target.dropFirst() + [("content-length", "5")])
        return (rig, client)
    }

    @Test(arguments: ["helloGET /admin HTTP/1.1\r\n\r\n", "he"])
    func `DATA of another length is no further request at an upstream with HTTP/1.1`(data: String) throws {
        let (rig, client) = try announced(.http1)
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try client.send(data: data, stream: 1, ends: true)
        let rest = try server.readToEnd().text
        #expect(rest.utf8.count <= 5 && "hello".hasPrefix(rest))
    }

    @Test(arguments: ["helloGET /admin HTTP/1.1\r\n\r\n", "he"])
    func `DATA of another length ends its stream at an upstream with HTTP/2`(data: String) throws {
        let (rig, client) = try announced(.h2c)
        let server = try FramePeer(rig.upstream.accept())
        let head = try server.head()
        try client.send(data: data, stream: 1, ends: true)
        var frame = try server.next()
        while frame.type == FramePeer.Kind.data {
            #expect(!frame.endsStream)
            frame = try server.next()
        }
        #expect(frame.type == FramePeer.Kind.reset && frame.stream == head.stream)
    }

    // MARK: - Clients

    private enum Client {
        case http1(LoopbackSocket)
        case http2(FramePeer)
    }

    private static func rig(_ upstream: Configuration.Upstream.UpstreamProtocol) throws -> RequestPathRig {
        try RequestPathRig {
            $0.upstreams[0].protocol = upstream
            $0.upstreams[0].connectTimeout = .seconds(60)
            $0.listen[0].protocols = [.http1, .http2Cleartext]
        }
    }

    private static func send(_ input: Input, to rig: RequestPathRig) throws -> Client {
        switch input {
        case .http1(let bytes):
            let client = try rig.connect()
            try client.send(bytes)
            return .http1(client)
        case .http2(let fields, let body):
            let client = try FramePeer(connecting: rig.connect())
            try client.respond(1, fields, ends: body == nil)
            if let body { try client.send(data: body, stream: 1, ends: true) }
            return .http2(client)
        }
    }

    private static func expectError(_ client: Client) throws {
        switch client {
        case .http1(let socket): #expect(try 400..<500 ~= socket.readMessage().status)
        case .http2(let peer):
            let frame = try peer.next()
            switch frame.type {
            case FramePeer.Kind.headers:
                // `:status` of an error, or a name of it and a literal.
                #expect(frame.payload.first != 0x88)
            case FramePeer.Kind.reset, FramePeer.Kind.goAway: break
            default: Issue.record("a frame of type \(frame.type)")
            }
        }
    }

    // MARK: - Upstreams

    /// Names that a row may be about. Other fields are the gateway's own.
    private static let names: Set = [
        "connection", "content-length", "cookie", "http2-settings", "keep-alive", "proxy-connection", "te", "upgrade",
        "x",
    ]

    private static func receiveHTTP1(_ server: LoopbackSocket) throws -> Received {
        let message = try server.readMessage()
        let start = message.start.split(separator: " ").map(String.init)
        #expect(message.values("host").count == 1 && start.last == "HTTP/1.1")
        var received = Received(
            method: start[0], target: start[1], authority: message.value("host") ?? "", body: message.body,
            isChunked: message.value("transfer-encoding") == "chunked")
        for line in message.lines {
            let name = line.prefix { $0 != ":" }
            let value = line.dropFirst(name.count + 1).drop { $0 == " " }
            if names.contains(name.lowercased()) { received.fields.append("\(name.lowercased()): \(value)") }
        }
        return received
    }

    private static func receiveHTTP2(_ server: FramePeer) throws -> Received {
        let head = try server.head()
        #expect(head.value("host") == nil && head.value("transfer-encoding") == nil)
        var received = Received(
            method: head.value(":method") ?? "", target: head.value(":path") ?? "",
            authority: head.value(":authority") ?? "")
        for (name, value, _) in head.fields where names.contains(name) { received.fields.append("\(name): \(value)") }
        if !head.endsStream { received.body = try server.body(head.stream) }
        return received
    }
}
