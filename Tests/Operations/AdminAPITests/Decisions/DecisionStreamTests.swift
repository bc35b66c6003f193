import GatewayCore
import NIOCore
import NIOEmbedded
import Observability
import Synchronization
import Testing

@testable import AdminAPI
@testable import GatewayFixtures

/// Streams of decisions on a connection whose time the test advances.
struct DecisionStreamTests {
    private let backend = FakeBackend()
    private let channel = EmbeddedChannel()

    init() throws {
        let api = AdminAPI(entrance: AdminGuard(token: "s3cret", hosts: []), backend: backend)
        try AdminServer.initialize(
            channel, api: api, open: AdminConnections(limit: 64, perNetwork: 32), limits: AdminServer.Limits()
        ).wait()
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    private func send(_ query: String = "", method: String = "GET", token: String = "s3cret") throws -> String {
        let fields = "Host: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: "\(method) /v1/decisions\(query) HTTP/1.1\r\n\(fields)"))
        channel.embeddedEventLoop.run()
        return try received()
    }

    private func received() throws -> String {
        channel.embeddedEventLoop.run()
        var text = ""
        while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
        return text
    }

    private var viewers: Int { backend.feed.reading.viewers }

    @Test func `a stream has the head of server-sent events`() throws {
        let text = try send()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
        #expect(text.contains("Cache-Control: no-store\r\n") && !text.contains("Content-Length"))
        #expect(text.contains("retry: 2000\n\n") && text.contains("event: open\n"))
        #expect(channel.isActive && viewers == 1)
    }

    @Test func `a stream needs the token, GET and valid parameters`() throws {
        #expect(try send(token: "wrong").hasPrefix("HTTP/1.1 401 "))
        #expect(try Self().send(method: "HEAD").hasPrefix("HTTP/1.1 405 "))
        #expect(try Self().send("?rate=0").hasPrefix("HTTP/1.1 400 "))
        #expect(viewers == 0)
    }

    @Test func `events are written as they arrive, and a comment every 15 s without one`() throws {
        _ = try send()
        backend.feed.reloaded(generation: 9)
        #expect(try received().contains(#"{"generation":9}"#))
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        #expect(try received() == "")
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        #expect(try received().contains(": \n\n"))
    }

    @Test func `a stream ends after its time`() throws {
        _ = try send("?seconds=2")
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try received().contains("event: end\ndata: {\"reason\":\"expired\"}\n\n"))
        #expect(!channel.isActive && viewers == 0)
    }

    private final class Permission: Sendable {
        let isGiven = Mutex(true)
    }

    @Test func `a stream ends with the session of its client`() throws {
        let permission = Permission()
        let before = try send()
        try #require(backend.viewer).require { permission.isGiven.withLock { $0 } }
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        #expect(channel.isActive && before.contains("event: open\n"))
        permission.isGiven.withLock { $0 = false }
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        let after = try received()
        #expect(!channel.isActive && after.contains("event: end\ndata: {\"reason\":\"session\"}\n\n"))
    }

    @Test func `the timeout of responses does not end a stream`() throws {
        _ = try send()
        channel.embeddedEventLoop.advanceTime(by: .seconds(100))
        #expect(channel.isActive && viewers == 1)
    }

    @Test func `a client that left is no viewer`() throws {
        _ = try send()
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        #expect(viewers == 0)
    }

    @Test func `a client that reads nothing is disconnected`() throws {
        _ = try send()
        channel.isWritable = false
        backend.feed.reloaded(generation: 9)
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        #expect(try received() == "" && channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive && viewers == 0)
    }

    @Test func `a client that reads again receives the queued events`() throws {
        _ = try send()
        channel.isWritable = false
        backend.feed.reloaded(generation: 9)
        #expect(try received() == "")
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(try received().contains(#"{"generation":9}"#))
    }
}
