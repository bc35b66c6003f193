import GatewayConfiguration
import GatewayCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct KeepAliveTests {
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    @Test func `both connections serve the next request`() throws {
        let (client, server) = try rig.warm()
        for number in 1...3 {
            try client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try server.readHead().start == "GET /\(number) HTTP/1.1")
            try server.send(.okResponse)
            #expect(try client.readMessage().body == "ok")
        }
        #expect(try rig.pool() == [1, 1, 0])
    }

    @Test func `two requests in one read get responses in order`() throws {
        let client = try rig.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET /1 HTTP/1.1")
        #expect(server.isQuiet)
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")
        #expect(try client.readMessage().body == "1")
        #expect(try client.readMessage().body == "2")
    }

    @Test func `a denied request with its body leaves the connection open`() throws {
        let client = try rig.send(
            "POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
                + "abcGET /private/y HTTP/1.1\r\nHost: a\r\n\r\n")
        let first = try client.readMessage()
        #expect(first.status == 401)
        #expect(first.value("Connection") == nil)
        #expect(try client.readMessage().status == 401)
    }

    @Test func `Connection: close closes the connection`() throws {
        let client = try rig.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().value("Connection") == nil)
        try server.send(.okResponse)
        #expect(try client.readMessage().value("Connection") == "close")
        #expect(try client.readToEnd().end == .finished)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func `HTTP/1.0 without keep-alive closes the connection`() throws {
        let client = try rig.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET / HTTP/1.1")
        try server.send(.okResponse)
        #expect(try client.readToEnd().text.hasSuffix("ok"))
    }

    @Test func `HTTP/1.0 with keep-alive keeps the connection`() throws {
        let (client, server) = try rig.exchange("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
        try server.send(.okResponse)
        #expect(try client.readMessage().value("Connection") == "keep-alive")
        try client.send("GET /2 HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
    }

    @Test func `HTTP/1.0 receives chunks as bytes up to the end`() throws {
        let (client, server) = try rig.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        let answer = try client.readToEnd()
        #expect(answer.text.hasSuffix("Connection: close\r\n\r\nabcde"))
        #expect(!answer.text.contains("chunked"))
    }

    @Test func `responses to HEAD have no body`() throws {
        let (client, server) = try rig.exchange("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
        #expect(try client.readHead().value("Content-Length") == "500")
        // On another connection, because the upstream can still send a body.
        #expect(try rig.upstream.accept().readHead().start == "GET /2 HTTP/1.1")
    }

    @Test func `a denial of HEAD has no body`() throws {
        let client = try rig.send("HEAD /private/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try client.readToEnd().text.hasSuffix("\r\n\r\n"))
    }

    @Test func `statuses 204 and 304 have no body`() throws {
        let (client, server) = try rig.warm()
        for status in [204, 304] {
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try server.respond("HTTP/1.1 \(status) x\r\n\r\n")
            #expect(try client.readHead().status == status)
        }
    }

    @Test func `a half-closed client receives its response`() throws {
        let client = try rig.send()
        client.finishSending()
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try rig.until { $0.connectionContext.registry.elements.first?.connection.peerFinished == true }
        try server.send(.okResponse)
        let answer = try client.readToEnd()
        #expect(answer.text.contains("Connection: close"))
        #expect(answer.text.hasSuffix("ok"))
    }

    @Test func `a half-closed client whose body waits receives its response`() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let (busy, server) = try rig.exchange()
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
        client.finishSending()
        try rig.until { $0.connectionContext.registry.elements.contains { $0.connection.peerFinished } }
        try server.send(.okResponse)
        #expect(try busy.readMessage().body == "ok")
        #expect(try server.readMessage().body == "body")
        try server.send(.okResponse)
        #expect(try client.readToEnd().text.hasSuffix("ok"))
    }

    @Test func `all pipelined requests of a half-closed client get responses`() throws {
        let client = try rig.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        client.finishSending()
        let server = try rig.upstream.accept()
        for _ in 1...2 { try server.respond() }
        #expect(try client.readToEnd().text.ranges(of: "HTTP/1.1 200 OK").count == 2)
    }

    @Test func `a truncated body never looks complete to the upstream`() throws {
        let (client, server) = try rig.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
        #expect(try server.read(3) == "abc")
        client.finishSending()
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a draining worker closes after the response`() throws {
        let (client, server) = try rig.exchange()
        try rig.onLoop { $0.drain() }
        try server.send(.okResponse)
        let answer = try client.readMessage()
        #expect(answer.value("Connection") == "close")
        #expect(try client.readToEnd().end == .finished)
    }

    @Test func `a draining worker closes idle connections after a second`() throws {
        let (client, _) = try rig.warm()
        try rig.onLoop { $0.drain() }
        try rig.pass(seconds: 0.5)
        #expect(client.isQuiet)
        try rig.pass(seconds: 1)
        #expect(try client.readToEnd().end == .finished)
        try rig.until { $0.connectionContext.registry.count == 0 }
    }

    @Test func `stopping counts no completed request`() throws {
        let (client, _) = try rig.warm()
        try rig.onLoop { $0.stop() }
        #expect(try client.readToEnd().text.isEmpty)
        let counted = try rig.onLoop { $0.counters.snapshot().requests(.clientClosed) }
        #expect(counted == 0)
    }
}
