import GatewayConfiguration
import Testing

@testable import SystemFixtures

@Suite struct RequestBodyTests {
    private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let early = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc"
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    @Test func `a body of known length keeps its length`() throws {
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
        let server = try rig.upstream.accept()
        let head = try server.readHead()
        #expect(head.values("Content-Length") == ["5"])
        #expect(try server.read(3) == "hel")
        try client.send("lo")
        #expect(try server.read(2) == "lo")
    }

    @Test func `a chunked body is chunked upstream`() throws {
        let client = try rig.send(Self.chunked + "3;ext=1\r\nabc\r\n")
        let server = try rig.upstream.accept()
        let head = try server.readHead()
        #expect(head.values("Transfer-Encoding") == ["chunked"])
        #expect(try server.read(8) == "3\r\nabc\r\n")
        try client.send("0\r\n\r\n")
        #expect(try server.read(5) == "0\r\n\r\n")
        try server.send(.okResponse)
        #expect(try client.readMessage().status == 200)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func `only announced trailers are forwarded`() throws {
        let (client, server) = try rig.exchange(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum, X-Auth-Uid\r\n\r\n"
                + "1\r\na\r\n0\r\nX-Sum: 1\r\nX-Auth-Uid: admin\r\nX_Auth_Uid: admin\r\nX-Other: 2\r\n\r\n")
        #expect(try server.read(through: "\r\n\r\n") == "1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n")
        #expect(client.isQuiet)
    }

    @Test func `a malformed chunk is 400 and ends the upstream connection`() throws {
        let (client, server) = try rig.exchange(Self.chunked + "1\r\na\r\n")
        try client.send("zz\r\n")
        #expect(try client.readMessage().status == 400)
        #expect(try !server.readToEnd().text.contains("0\r\n\r\n"))
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a length above the limit is 413`() throws {
        let rig = try RequestPathRig { $0.limits.bodySize = 10 }
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n")
        #expect(try client.readMessage().status == 413)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `a body of exactly the limit passes`() throws {
        let rig = try RequestPathRig { $0.limits.bodySize = 10 }
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789")
        #expect(try rig.upstream.accept().readMessage().body == "0123456789")
        withExtendedLifetime(client) {}
    }

    @Test func `chunks above the limit are 413`() throws {
        let rig = try RequestPathRig { $0.limits.bodySize = 10 }
        let (client, server) = try rig.exchange(Self.chunked + "6\r\n012345\r\n")
        #expect(try server.read(through: "012345\r\n").hasPrefix("6\r\n"))
        try client.send("6\r\n012345\r\n")
        #expect(try client.readMessage().status == 413)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a permitted request with Expect: 100-continue gets the interim response`() throws {
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readHead().status == 100)
        let server = try rig.upstream.accept()
        #expect(try server.readHead().value("Expect") == nil)
        try client.send("ab")
        #expect(try server.read(2) == "ab")
        try server.send(.okResponse)
        #expect(try client.readMessage().status == 200)
    }

    @Test func `C-09: a denied request with Expect: 100-continue gets no interim response`() throws {
        let client = try rig.send(
            "POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        let response = try client.readMessage()
        #expect(response.status == 401)
        #expect(response.value("Connection") == "close")
        #expect(try client.readToEnd().end == .finished)
    }

    @Test func `a request with Expect: 100-continue whose body has arrived gets no interim response`() throws {
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab")
        let server = try rig.upstream.accept()
        #expect(try server.readMessage().body == "ab")
        try server.send(.okResponse)
        #expect(try client.readHead().status == 200)
    }

    @Test func `K-11: an early response reaches the client and neither connection is used again`() throws {
        let (client, server) = try rig.exchange(Self.early)
        try server.send("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno")
        let response = try client.readMessage()
        #expect(response.status == 403)
        #expect(response.body == "no")
        #expect(try client.readToEnd().text.isEmpty)
        #expect(try server.readToEnd().text == "abc")
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `bytes after an early response are not a request`() throws {
        let (client, server) = try rig.exchange(Self.early)
        try server.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        _ = try client.readMessage()
        try client.send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readToEnd().text.isEmpty)
        #expect(!rig.upstream.hasConnection)
    }
}
