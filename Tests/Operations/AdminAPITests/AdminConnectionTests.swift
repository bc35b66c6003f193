import NIOCore
import NIOEmbedded
import Testing

@testable import AdminAPI
@testable import GatewayFixtures

@Suite struct AdminConnectionTests {
    let channel = EmbeddedChannel()

    init() throws {
        let api = AdminAPI(entrance: AdminGuard(token: nil, hosts: []), backend: FakeBackend())
        try AdminServer.initialize(
            channel, api: api, open: AdminConnections(limit: 64, perNetwork: 32), limits: AdminServer.Limits()
        ).wait()
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    private func send(_ text: String) throws {
        try channel.writeInbound(ByteBuffer(string: text))
        channel.embeddedEventLoop.run()
    }

    private func received() throws -> String {
        var text = ""
        while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
        return text
    }

    @Test func aRequestThatDoesNotComeInTimeIs408() throws {
        try send("GET /livez HTTP/1.1\r\nHost: local")
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(try received().hasPrefix("HTTP/1.1 408 "))
        #expect(!channel.isActive)
    }

    @Test func `a head that does not come within three seconds is 408`() throws {
        try send("GET /livez HTTP/1.1\r\n")
        channel.embeddedEventLoop.advanceTime(by: .seconds(3))
        #expect(try received().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `a probe is answered on the turn of the event loop in which it comes`() throws {
        try channel.writeInbound(ByteBuffer(string: "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        #expect(try received().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func aHeadOverItsBoundIs431() throws {
        try send("GET /livez HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 9000))\r\n\r\n")
        #expect(try received().hasPrefix("HTTP/1.1 431 "))
        #expect(!channel.isActive)
    }

    @Test func aTargetOverItsBoundIs431() throws {
        try send("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try received().hasPrefix("HTTP/1.1 431 "))
    }

    @Test func aBodyOverItsBoundIs413() throws {
        try send("POST /v1/users/a/revoke HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n")
        try send(String(repeating: " ", count: 66_000))
        #expect(try received().hasPrefix("HTTP/1.1 413 "))
    }

    @Test func aHeadWithoutAnEndIsNotReadForever() throws {
        for _ in 0..<20 where channel.isActive {
            try send("GET /\(String(repeating: "a", count: 8000))")
        }
        #expect(!channel.isActive)
    }

    @Test func whatIsNotHTTPIs400() throws {
        try send("\u{16}\u{3}\u{1} hello\r\n\r\n")
        #expect(try received().hasPrefix("HTTP/1.1 400 "))
        #expect(!channel.isActive)
    }
}
