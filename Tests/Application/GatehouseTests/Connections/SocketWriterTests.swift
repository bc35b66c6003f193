import Forwarding
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Writes that go directly to the socket, and writes through the channel.
@Suite struct SocketWriterTests {
    private static let large = 60_000
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    private func isDirect() throws -> Bool {
        try rig.onWorker { $0.connectionContext.registry.elements.first?.writer?.isDirect == true }
    }

    private func exchange(_ client: LoopbackSocket, _ server: LoopbackSocket, length: Int) throws {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.respond(
            "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" + String(repeating: "a", count: length))
    }

    @Test func `a small response is written directly`() throws {
        let (client, server) = try rig.warm()
        try exchange(client, server, length: 3)
        #expect(try client.readMessage().body == "aaa")
        #expect(try isDirect())
    }

    @Test func `the rest of a partial write is sent through the channel`() throws {
        let client = try rig.connectWithSmallBuffers()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(
            "HTTP/1.1 200 OK\r\nContent-Length: \(Self.large)\r\n\r\n" + String(repeating: "a", count: Self.large))
        try rig.until { $0.connectionContext.registry.elements.first?.writer?.isDirect == false }
        #expect(try client.readMessage().body == String(repeating: "a", count: Self.large))
        try rig.until { $0.connectionContext.registry.elements.first?.writer?.isDirect == true }
        try exchange(client, server, length: 2)
        #expect(try client.readMessage().body == "aa")
    }

    @Test func `several responses at once keep their order`() throws {
        let client = try rig.connect()
        let targets = (0..<200).map { "/private/\($0)" }
        try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        for _ in targets { #expect(try client.readMessage().status == 401) }
        try rig.until { $0.connectionContext.registry.elements.first?.writer?.isDirect == true }
    }

    /// The gateway detects at the end of the response that it could not send the last byte of the request.
    @Test func `a connection that fails at the end of its response is not used again`() throws {
        let (client, server) = try rig.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
        _ = try server.read(1)
        try rig.batch("b", answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") { server.reset() }
        #expect(try client.readMessage().status == 200)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let another = try rig.upstream.accept()
        try another.respond()
        #expect(try client.readMessage().status == 200)
        #expect(try rig.onWorker { $0.pools[0].openCount } == 1)
    }

    @Test func `nothing is written directly on an encrypted connection`() throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let listener = try LoopbackListener()
        let direct = try ClientBootstrap(group: group)
            .connect(host: "127.0.0.1", port: listener.port)
            .flatMapThrowing { channel in
                let pipeline = channel.pipeline.syncOperations
                let probe = Probe()
                try pipeline.addHandler(probe)
                let plain = probe.holds()
                let context = try NIOSSLContext(configuration: .makeClientConfiguration())
                try pipeline.addHandler(
                    try NIOSSLClientHandler(context: context, serverHostname: nil), position: .first)
                return [plain, probe.holds()]
            }.wait()
        #expect(direct == [true, false])
    }

    private final class Probe: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func holds() -> Bool {
            context.map { SocketWriter(isPlain: true).hold(ByteBuffer(string: "a"), in: $0) } ?? false
        }
    }
}
