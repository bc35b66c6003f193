import GatewayConfiguration
import Testing

@testable import SystemFixtures

@Suite struct UpstreamFailureTests {
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    /// A request that the upstream received on a reused connection.
    private func reuse(
        _ request: String = "GET /again HTTP/1.1\r\nHost: a\r\n\r\n"
    ) throws -> (client: LoopbackSocket, server: LoopbackSocket) {
        let (client, server) = try rig.warm()
        try client.send(request)
        _ = try server.readHead()
        return (client, server)
    }

    // MARK: - Reused connections

    @Test(arguments: [false, true])
    func `a reused connection that closes or resets is replaced once`(resets: Bool) throws {
        let (client, server) = try reuse()
        if resets { server.reset() } else { server.close() }
        let second = try rig.upstream.accept()
        #expect(try second.readHead().start == "GET /again HTTP/1.1")
        try second.send(.okResponse)
        #expect(try client.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func `the second connection is not replaced`() throws {
        let (client, server) = try reuse()
        server.close()
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        second.close()
        #expect(try client.readMessage().status == 502)
        #expect(!rig.upstream.hasConnection)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a second reused connection is not replaced either`() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 2 }
        let (client, server) = try rig.warm()
        let other = try rig.connect()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try server.readHead()
        try other.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        let third = try rig.send("GET /c HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 2, idle: 0, waiting: 1)
        // `/c` receives the replacement of the closed connection. `/a` waits after it for the connection of `/b`.
        server.close()
        let fresh = try rig.upstream.accept()
        #expect(try fresh.readHead().start == "GET /c HTTP/1.1")
        try second.send(.okResponse)
        #expect(try second.readHead().start == "GET /a HTTP/1.1")
        second.close()
        #expect(try client.readMessage().status == 502)
        #expect(third.isQuiet)
    }

    @Test(arguments: [("POST", ""), ("PUT", "ab")])
    func `a POST is not resent, nor a PUT of whose body a part was sent`(method: String, body: String) throws {
        let (client, server) = try rig.warm()
        try client.send("\(method) / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try server.readMessage().body == body)
        server.close()
        #expect(try client.readMessage().status == 502)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `a PUT is resent with its body if no part was sent`() throws {
        let (client, server) = try reuse("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
        server.close()
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        try client.send("ab")
        #expect(try second.read(2) == "ab")
        try second.send(.okResponse)
        #expect(try client.readMessage().body == "ok")
    }

    @Test func `a new connection that closes is 502 and the client connection continues`() throws {
        let client = try rig.send(String.getRequest + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.upstream.accept().close()
        #expect(try client.readMessage().status == 502)
        let second = try rig.upstream.accept()
        #expect(try second.readHead().start == "GET /2 HTTP/1.1")
        try rig.untilPool(open: 1, idle: 0, waiting: 0)
    }

    @Test func `unsolicited bytes close an idle connection`() throws {
        let (client, server) = try rig.warm()
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try client.send(.getRequest)
        let second = try rig.upstream.accept()
        try second.respond()
        #expect(try client.readMessage().body == "ok")
    }

    // MARK: - Malformed and truncated responses

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(
        arguments: [
            "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: a\nY: b\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
            "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello",
        ]
            + ["zz\r\n", "3\r\nabc\r\nzz\r\n", "1\r\nab", "0\r\nno field\r\n\r\n", "fffffffffffffffff\r\n"]
            .map { chunked + $0 })
    func `a malformed response is 502 and ends its connection`(response: String) throws {
        let (client, server) = try rig.exchange()
        try server.send(response)
        try client.expectProblem(502, "upstream/invalid-response")
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test(arguments: [("X: " + String(repeating: "a", count: 66_000), false), ("Content-", true)])
    func `a response head that is too large or truncated is 502`(field: String, closes: Bool) throws {
        let (client, server) = try reuse()
        try server.send("HTTP/1.1 200 OK\r\n" + field)
        if closes { server.close() }
        #expect(try client.readMessage().status == 502)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "abc", nil), (chunked, "3\r\nabc\r\n", nil),
            (chunked, "3\r\nabc\r\n", "zz\r\n"),
        ] as [(String, String, String?)])
    func `a truncated body is not completed`(head: String, body: String, malformed: String?) throws {
        let (client, server) = try rig.exchange(String.getRequest + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.send(head + body)
        #expect(try client.readHead().status == 200)
        _ = try client.read(through: body)
        if let malformed { try server.send(malformed) } else { server.close() }
        #expect(try client.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a body up to the end is completed by the end of the connection`() throws {
        let (client, server) = try rig.exchange()
        try server.send("HTTP/1.1 200 OK\r\n\r\nabc")
        server.close()
        #expect(try client.readMessage().body == "abc")
        try client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readMessage().status == 401)
    }

    @Test func `a reset does not complete a body up to the end`() throws {
        let (client, server) = try rig.exchange()
        try server.send("HTTP/1.1 200 OK\r\n\r\nabc")
        _ = try client.readHead()
        _ = try client.read(through: "abc")
        server.reset()
        #expect(try client.readToEnd().text == "\r\n")
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `bytes after a response are not a response`() throws {
        let (client, server) = try rig.exchange()
        try server.send(String.okResponse + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        #expect(try client.readMessage().body == "ok")
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        #expect(client.isQuiet)
    }

    // MARK: - Fields and interim responses

    @Test func `Connection: close of the upstream ends its connection`() throws {
        let (client, server) = try rig.exchange()
        try server.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        let response = try client.readMessage()
        #expect(response.body == "ok")
        #expect(response.value("Connection") == nil)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `interim responses are forwarded except 100`() throws {
        let (client, server) = try rig.exchange()
        try server.send(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\nConnection: x\r\nX: y\r\n\r\n"
                + String.okResponse)
        let interim = try client.readHead()
        #expect(interim.status == 103)
        #expect(interim.lines == ["Link: <a>"])
        #expect(try client.readMessage().body == "ok")
    }

    @Test(arguments: [100, 103], [16, 17])
    func `K-11: at most sixteen interim responses are accepted`(status: Int, count: Int) throws {
        let (client, server) = try rig.exchange()
        try server.send(String(repeating: "HTTP/1.1 \(status) X\r\n\r\n", count: count) + String.okResponse)
        for _ in 0..<(status == 103 ? 16 : 0) { #expect(try client.readHead().status == 103) }
        #expect(try client.readMessage().status == (count == 16 ? 200 : 502))
    }

    @Test func `interim responses do not reach HTTP/1.0`() throws {
        let (client, server) = try rig.exchange("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        try server.send("HTTP/1.1 103 Early Hints\r\n\r\n" + String.okResponse)
        #expect(try client.readMessage().status == 200)
    }

    @Test func `chunks and their announced trailers reach the client`() throws {
        let (client, server) = try rig.exchange()
        try server.send(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum, Content-Length\r\n\r\n"
                + "2\r\nab\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\n\r\n")
        #expect(try client.readHead().values("Trailer") == ["X-Sum"])
        #expect(try client.read(through: "\r\n\r\n") == "2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n")
    }

    @Test func `hop-by-hop fields of a response are removed`() throws {
        let (client, server) = try rig.exchange()
        try server.send(
            "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nConnection: X-Hop\r\nX-Hop: 1\r\nUpgrade: h2\r\nX-A: b\r\n"
                + "Content-Length: 0\r\n\r\n")
        let response = try client.readMessage()
        #expect(response.lines.filter { !$0.hasPrefix("X-Request-Id: ") } == ["X-A: b", "Content-Length: 0"])
    }

    @Test func `a length without a body is removed`() throws {
        let (client, server) = try rig.exchange()
        try server.send("HTTP/1.1 103 Early\r\nContent-Length: 0\r\n\r\nHTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n")
        #expect(try client.readHead().lines.isEmpty)
        #expect(try client.readHead().lines.allSatisfy { $0.hasPrefix("X-Request-Id: ") })
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }
}
