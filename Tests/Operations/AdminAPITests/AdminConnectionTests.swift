import NIOCore
import NIOEmbedded
import Testing

@testable import AdminAPI
@testable import GatewayFixtures

struct AdminConnectionTests {
    private static let filler = String(repeating: "a", count: 9000)
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

    @Test(arguments: [("GET /livez HTTP/1.1\r\nHost: local", 10), ("GET /livez HTTP/1.1\r\n", 3)])
    func `a request that is not complete in time is 408`(text: String, seconds: Int64) throws {
        try send(text)
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
        #expect(try received().hasPrefix("HTTP/1.1 408 "))
        #expect(!channel.isActive)
    }

    @Test func `a probe gets its response in the turn of the event loop in which it arrives`() throws {
        try channel.writeInbound(ByteBuffer(string: "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        #expect(try received().hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: [
        ("GET /livez HTTP/1.1\r\nHost: localhost\r\nX: \(filler)\r\n\r\n", 431),
        ("GET /\(filler) HTTP/1.1\r\nHost: localhost\r\n\r\n", 431), ("\u{16}\u{3}\u{1} hello\r\n\r\n", 400),
    ])
    func `a large or invalid head is an error and closes the connection`(text: String, status: Int) throws {
        try send(text)
        #expect(try received().hasPrefix("HTTP/1.1 \(status) "))
        #expect(!channel.isActive)
    }

    @Test func `a body above its limit is 413`() throws {
        try send("POST /v1/users/a/revoke HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n")
        try send(String(repeating: " ", count: 66_000))
        #expect(try received().hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `a head without an end closes the connection`() throws {
        for _ in 0..<20 where channel.isActive {
            try send("GET /\(String(repeating: "a", count: 8000))")
        }
        #expect(!channel.isActive)
    }
}
