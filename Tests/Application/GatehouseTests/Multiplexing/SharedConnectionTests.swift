import GatewayConfiguration
import GatewayCore
import NIOSSL
import Testing

@testable import CoreFixtures
@testable import Forwarding
@testable import Gatehouse
@testable import SystemFixtures

/// The life of HTTP/2 connections to a server: limits, refusals, errors and back pressure.
@Suite struct SharedConnectionTests {
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
    private static let refusedStream: UInt32 = 7

    @Test func `M-57: requests beyond the server's limit of streams wait`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].connections = 1 }
        let (first, server, head) = try rig.exchange(settings: [(FramePeer.Setting.streams, 1)])
        let second = try rig.rig.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.rig.until { $0.pools[0].waitingCount == 1 }
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try first.readHead().status == 204)
        let next = try server.head()
        #expect(next.value(":path") == "/2")
        try server.respond(next.stream, [(":status", "204")], ends: true)
        #expect(try second.readHead().status == 204)
    }

    @Test func `M-57: a server that accepts no stream costs a request the timeout`() throws {
        let rig = try HTTP2Rig {
            $0.upstreams[0].connections = 1
            $0.upstreams[0].connectTimeout = .seconds(5)
        }
        let client = try rig.rig.send()
        let server = try rig.accept(settings: [(FramePeer.Setting.streams, 0)])
        try rig.rig.until { $0.pools[0].waitingCount == 1 }
        try rig.rig.pass(seconds: 6)
        try client.expectProblem(504, "upstream/timeout")
        // A higher limit takes effect at once.
        let next = try rig.rig.send()
        try rig.rig.until { $0.pools[0].waitingCount == 1 }
        try server.send(settings: [(FramePeer.Setting.streams, 1)])
        let head = try server.head()
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try next.readHead().status == 204)
    }

    @Test func `the configured limit of streams opens another connection`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].http2.streamsPerConnection = 1 }
        let (first, server, head) = try rig.exchange()
        let second = try rig.rig.send()
        let other = try rig.accept()
        let next = try other.head()
        try other.respond(next.stream, [(":status", "204")], ends: true)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try first.readHead().status == 204)
        #expect(try second.readHead().status == 204)
    }

    @Test(arguments: [String.getRequest, post])
    func `M-58: a refused stream is retried once, whatever its method`(request: String) throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange(request)
        try server.reset(head.stream, Self.refusedStream)
        let again = try server.head()
        #expect(again.stream == 3)
        #expect(again.value(":method") == head.value(":method"))
        #expect(again.fields.filter { $0.name == "x-request-id" }.count == 1)
        try server.reset(again.stream, Self.refusedStream)
        try client.expectProblem(502, "upstream/unreachable")
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test(arguments: [UInt32(1), 2, 8, 11])
    func `M-58: another code is a failure, and POST is not retried`(code: UInt32) throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange(Self.post)
        try server.reset(head.stream, code)
        try client.expectProblem(502, "upstream/unreachable")
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `M-58: a refused stream whose body was read is not retried`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
        #expect(try server.body(head.stream) == "hi")
        try server.reset(head.stream, Self.refusedStream)
        try client.expectProblem(502, "upstream/unreachable")
    }

    @Test func `M-58: streams above the last one of GOAWAY are retried, and those below complete`() throws {
        let rig = try HTTP2Rig()
        let (first, server, head) = try rig.exchange()
        let second = try rig.rig.send(Self.post)
        _ = try server.head()
        try server.goAway(last: head.stream)
        let other = try rig.accept()
        let again = try other.head()
        #expect(again.value(":method") == "POST")
        try other.respond(again.stream, .ok, ends: true)
        #expect(try second.readMessage().status == 200)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try first.readHead().status == 204)
        // The first connection is closed after its last stream.
        #expect(try server.socket.readToEnd().end == .finished)
        #expect(try rig.serveAnother(on: other) == 200)
    }

    @Test func `a connection that drains forever stops no others`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].connections = 1 }
        var held: [(client: LoopbackSocket, server: FramePeer, head: FramePeer.Head)] = []
        for _ in 0..<2 {
            let next = try rig.exchange()
            try next.server.goAway(last: next.head.stream)
            try next.server.untilRead()
            held.append(next)
        }
        let (client, server, head) = try rig.exchange(Self.post)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        // The oldest of the replaced connections was closed for it.
        try held[0].client.expectProblem(502, "upstream/unreachable")
        try held[1].server.respond(held[1].head.stream, [(":status", "204")], ends: true)
        #expect(try held[1].client.readHead().status == 204)
    }

    @Test(arguments: 0..<4)
    func `M-58: a request of the turn in which GOAWAY arrives uses another connection`(_: Int) throws {
        let rig = try HTTP2Rig()
        let (held, server, head) = try rig.exchange()
        let client = try rig.rig.send()
        let first = try server.head()
        try server.respond(first.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        try rig.rig.atOnce {
            try client.send(Self.post)
            try server.goAway(last: first.stream)
        }
        let other = try rig.accept()
        let again = try other.head()
        try other.respond(again.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try held.readHead().status == 204)
    }

    @Test func `a head above the limit ends its request only`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        let held = try rig.rig.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
        let other = try server.head()
        let value = String(repeating: "a", count: 20_000)
        let block = FramePeer.block([(":status", "200")] + (0..<10).map { ("x-\($0)", value) })
        let parts = stride(from: 0, to: block.count, by: 16_384).map { Array(block[$0...].prefix(16_384)) }
        for (index, part) in parts.enumerated() {
            let flags: UInt8 = index == parts.count - 1 ? 4 : 0
            try server.send(
                index == 0 ? FramePeer.Kind.headers : FramePeer.Kind.continuation, flags: flags, stream: head.stream,
                part)
        }
        try client.expectProblem(502, "upstream/invalid-response")
        try server.respond(other.stream, [(":status", "204")], ends: true)
        #expect(try held.readHead().status == 204)
    }

    @Test func `a connection with bytes that are not UTF-8 receives no more requests`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        let held = try rig.rig.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
        let other = try server.head()
        try server.send(
            FramePeer.Kind.headers, flags: 5, stream: head.stream,
            FramePeer.block([(":status", "200")]) + [0, 1, 0x78, 1, 0xE9])
        try client.expectProblem(502, "upstream/invalid-response")
        let (next, second, again) = try rig.exchange()
        try second.respond(again.stream, [(":status", "204")], ends: true)
        #expect(try next.readHead().status == 204)
        try server.respond(other.stream, [(":status", "204")], ends: true)
        #expect(try held.readHead().status == 204)
    }

    @Test func `many PINGs of a server end no connection`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        for _ in 0..<1_000 { try server.send(FramePeer.Kind.ping, Array(repeating: 1, count: 8)) }
        for _ in 0..<1_000 {
            let frame = try server.next()
            #expect(frame.type == FramePeer.Kind.ping && frame.flags == 1)
        }
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `cancelled requests of one user do not end the stream of another`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        for _ in 0..<300 {
            let other = try rig.rig.send(Self.post)
            let next = try server.head()
            other.reset()
            #expect(try server.resetCode(next.stream) == 8)
        }
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `a reset within a response truncates it for the client`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        try server.respond(head.stream, .ok)
        try server.send(data: "part", stream: head.stream)
        #expect(try client.readHead().status == 200)
        #expect(try client.read(through: "part\r\n") == "4\r\npart\r\n")
        try server.reset(head.stream, 2)
        #expect(try client.readToEnd().text.isEmpty)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `a connection that ends with its streams costs only those`() throws {
        let rig = try HTTP2Rig()
        let (client, server, _) = try rig.exchange(Self.post)
        server.socket.close()
        try client.expectProblem(502, "upstream/unreachable")
        let (next, other, head) = try rig.exchange()
        try other.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try next.readHead().status == 204)
    }

    @Test func `a request on a connection that the server closed is repeated on a new one`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange()
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        try client.send(.getRequest)
        _ = try server.head()
        server.socket.close()
        let other = try rig.accept()
        let again = try other.head()
        try other.respond(again.stream, .ok, ends: true)
        #expect(try client.readMessage().status == 200)
    }

    static let violations: [(name: String, frame: [UInt8])] = [
        ("table size", FramePeer.frame(4, [0, 1, 0xFF, 0xFF, 0xFF, 0xFF])),
        ("frame size", FramePeer.frame(4, [0, 5, 0, 0, 0, 0])), ("window", FramePeer.frame(4, [0, 4, 0xFF, 0, 0, 0])),
        ("long frame", FramePeer.frame(0, stream: 1, Array(repeating: 0, count: 16_385))),
        ("idle stream", FramePeer.frame(0, stream: 99, [1])),
        ("HPACK", FramePeer.frame(1, flags: 5, stream: 1, [0x80])),
        ("push", FramePeer.frame(5, flags: 4, stream: 1, [0, 0, 0, 2] + FramePeer.block([(":method", "GET")]))),
        ("connection window", FramePeer.frame(8, [0x7F, 0xFF, 0xFF, 0xFF])),
    ]

    @Test(arguments: violations.indices)
    func `M-59, M-60: a violation closes the connection, and the next request uses another`(index: Int) throws {
        let rig = try HTTP2Rig()
        let (client, server, _) = try rig.exchange(Self.post)
        try server.socket.send(Self.violations[index].frame)
        #expect(try client.readMessage().status == 502)
        _ = try server.socket.readToEnd()
        let (next, other, head) = try rig.exchange()
        try other.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try next.readHead().status == 204)
        #expect(rig.log.text.contains("HTTP/2 connection ended"))
    }

    @Test func `a stream that exceeds its window is reset, and no other`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].http2.streamWindow = 65_535 }
        let client = try rig.rig.connectWithSmallBuffers()
        try client.send(.getRequest)
        let server = try rig.accept()
        let head = try server.head()
        #expect(server.received[FramePeer.Setting.window] == 65_535)
        try server.respond(head.stream, .ok)
        let part = FramePeer.frame(0, stream: head.stream, Array(repeating: 0, count: 16_384))
        for _ in 0..<20 { try server.socket.send(part) }
        #expect(try server.resetCode(head.stream) == 3)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `a slow client holds neither the connection nor its other streams`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].http2.streamWindow = 65_535 }
        let slow = try rig.rig.connectWithSmallBuffers()
        try slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.accept()
        let head = try server.head()
        try server.respond(head.stream, .ok)
        // As much as the window permits, without a further update.
        for _ in 0..<3 {
            try server.send(FramePeer.Kind.data, stream: head.stream, Array(repeating: 97, count: 16_384))
        }
        try server.send(FramePeer.Kind.data, stream: head.stream, Array(repeating: 97, count: 16_383))
        for _ in 0..<5 { #expect(try rig.serveAnother(on: server) == 200) }
        #expect(try rig.rig.bufferedBytes() <= 2 * 65_535)
        try server.send(data: "", stream: head.stream, ends: true)
        #expect(try slow.readMessage().body.utf8.count == 65_535)
    }

    @Test func `an upload waits for the server's window`() throws {
        let rig = try HTTP2Rig()
        let client = try rig.rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16000000\r\n\r\n")
        let server = try rig.accept(settings: [(FramePeer.Setting.window, 0)])
        let head = try server.head()
        let body = [UInt8](repeating: 98, count: 16_000_000)
        var sent = client.sendNow(body[...])
        try rig.rig.onWorker { _ in }
        sent += client.sendNow(body[sent...])
        #expect(sent < body.count)
        // Another stream is not affected.
        #expect(try rig.serveAnother(on: server) == 200)
        try server.send(FramePeer.Kind.windowUpdate, FramePeer.bytes(0x7FFF_0000))
        try server.send(FramePeer.Kind.windowUpdate, stream: head.stream, FramePeer.bytes(0x7FFF_0000))
        var received = 0
        while received < body.count {
            sent += client.sendNow(body[sent...])
            let frame = try server.next()
            received += frame.payload.count
        }
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
    }

    @Test func `a complete response before the end of an upload resets its stream`() throws {
        let rig = try HTTP2Rig()
        let (client, server, head) = try rig.exchange(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\npart")
        try server.respond(head.stream, [(":status", "413"), ("content-length", "0")], ends: true)
        #expect(try client.readMessage().status == 413)
        _ = try server.resetCode(head.stream)
        #expect(try rig.serveAnother(on: server) == 200)
    }

    @Test func `a connection is replaced at its age, and closed when it was idle`() throws {
        let rig = try HTTP2Rig { $0.upstreams[0].http2.connectionAge = .seconds(10) }
        let (client, server, head) = try rig.exchange()
        try rig.rig.pass(seconds: 12)
        let next = try rig.rig.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        let other = try rig.accept()
        let again = try other.head()
        try other.respond(again.stream, [(":status", "204")], ends: true)
        #expect(try next.readHead().status == 204)
        try server.respond(head.stream, [(":status", "204")], ends: true)
        #expect(try client.readHead().status == 204)
        #expect(try server.socket.readToEnd().end == .finished)
    }

    @Test func `a silent connection is replaced after a request timed out`() throws {
        let rig = try HTTP2Rig {
            $0.upstreams[0].connectTimeout = .seconds(2)
            $0.upstreams[0].responseTimeout = .seconds(5)
        }
        let (client, server, _) = try rig.exchange(Self.post)
        try rig.rig.pass(seconds: 6)
        try client.expectProblem(504, "upstream/timeout")
        _ = try server.socket.readToEnd()
        let (next, other, again) = try rig.exchange()
        try other.respond(again.stream, [(":status", "204")], ends: true)
        #expect(try next.readHead().status == 204)
    }

    @Test func `a server without h2 in its TLS is unreachable`() throws {
        let authority = try TestAuthority(names: "IP:127.0.0.1")
        let server = try EchoingUpstream(
            tls: TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(authority.certificate).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: authority.key, format: .pem))))
        let rig = try HTTP2Rig {
            $0.upstreams[0].protocol = .h2
            $0.upstreams[0].servers = [
                Configuration.UpstreamServer(host: "127.0.0.1", port: server.port, isSecure: true)
            ]
            $0.upstreams[0].tls.ca = authority.authority
        }
        try rig.rig.send().expectProblem(502, "upstream/unreachable")
        #expect(rig.log.text.contains("the server does not offer h2 by ALPN"))
    }
}
