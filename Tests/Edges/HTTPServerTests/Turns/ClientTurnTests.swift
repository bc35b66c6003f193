import GatewayCore
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreFixtures
@testable import HTTPServer

/// The work of one client connection in one turn of its event loop.
@Suite struct ClientTurnTests {
    /// Denies requests, or accepts their bodies.
    private final class Handler: RequestHandler, RequestHandlerSource, Responder {
        let takesBodies: Bool
        var requests = 0
        var parts = 0
        var bytes = 0
        var hasEnded = false

        init(takesBodies: Bool) { self.takesBodies = takesBodies }

        func makeHandler() -> any RequestHandler { self }
        var additions: ResponseFieldPolicy? { nil }
        func began(_ client: ClientHandler) {}
        func handle(_ request: RequestView, from client: ClientHandler) {
            requests += 1
            if takesBodies { client.attach(self) } else { client.deny(Denial(.routeNotFound)) }
        }
        func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? { nil }
        func watchExchange(of client: ClientHandler) -> OpenStream? { nil }
        func refusal(of stream: OpenStream) -> DecisionCode? { nil }
        func abandoned(_ client: ClientHandler) {}
        func finished(_ client: ClientHandler) {}

        let acceptsBody = true
        let responseHasLength = true
        func bodyPart(_ part: ByteBuffer) {
            parts += 1
            bytes += part.readableBytes
        }
        func bodyEnded(trailers: ByteBuffer) { hasEnded = true }
        func bodyFlush() {}
        func clientWritabilityChanged(isWritable: Bool) {}
        func clientGone() {}
        func tick(now: UInt64) {}
    }

    private let connectionContext = ConnectionContext(limits: ConnectionLimits(), clock: ManualClock().clock)
    private let channel = EmbeddedChannel()
    private let handler: Handler
    private let client: ClientHandler

    private init(takesBodies: Bool) throws {
        handler = Handler(takesBodies: takesBodies)
        connectionContext.handlers = handler
        client = ClientHandler(connectionContext: connectionContext, peer: PeerAddress(nil))
        try channel.pipeline.syncOperations.addHandler(client)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    init() throws { try self.init(takesBodies: false) }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let upload = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// One read of the socket.
    private func read(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    /// Runs turns of the connection until it needs none, and returns their number.
    private func takeTurns() -> Int {
        var rounds = 0
        while connectionContext.turns.count > 0, rounds < 10_000 {
            connectionContext.turns.takeRound()
            rounds += 1
        }
        return rounds
    }

    @Test func `K-16: a read with a hundred refused requests is served four at a time`() throws {
        try read(String(repeating: Self.request, count: 100))
        #expect(handler.requests == 4)
        connectionContext.turns.takeRound()
        #expect(handler.requests == 8)
        #expect(takeTurns() == 23)
        #expect(handler.requests == 100)
    }

    @Test func `requests that arrive meanwhile wait, too`() throws {
        try read(String(repeating: Self.request, count: 5))
        for _ in 0..<10 { try read(Self.request) }
        #expect(handler.requests == 4 && connectionContext.turns.count == 1)
        #expect(takeTurns() == 3)
        #expect(handler.requests == 15)
    }

    @Test func `a request or two in each read never wait`() throws {
        for count in 1...100 {
            try read(Self.request + Self.request)
            #expect(handler.requests == count * 2 && connectionContext.turns.count == 0)
        }
    }

    @Test func `chunks of one byte are passed on 128 at a time`() throws {
        let test = try Self(takesBodies: true)
        try test.read(Self.upload)
        try test.read(String(repeating: "1\r\na\r\n", count: 1000) + "0\r\n\r\n")
        #expect(test.handler.parts == 128)
        #expect(test.takeTurns() == 7)
        #expect(test.handler.bytes == 1000 && test.handler.hasEnded)
    }

    @Test func `the end of a body is not deferred, whatever the budget`() throws {
        for length in [128, 131_072] {
            let test = try Self(takesBodies: true)
            try test.read("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
            try test.read(String(repeating: "a", count: length))
            #expect(test.handler.bytes == length && test.handler.hasEnded && test.connectionContext.turns.count == 0)
        }
    }

    @Test func `requests that were sent before the client's end are served`() throws {
        try read(String(repeating: Self.request, count: 50))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        _ = takeTurns()
        #expect(handler.requests == 50)
        #expect(client.connection.phase == .closed)
    }

    @Test func `a body that arrived completely before the client's end is passed on completely`() throws {
        let test = try Self(takesBodies: true)
        try test.read(Self.upload + String(repeating: "1\r\na\r\n", count: 500) + "0\r\n\r\n")
        test.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        _ = test.takeTurns()
        #expect(test.handler.bytes == 500 && test.handler.hasEnded)
    }

    @Test func `a truncated body never looks complete`() throws {
        let test = try Self(takesBodies: true)
        try test.read(Self.upload + String(repeating: "1\r\na\r\n", count: 500))
        test.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        _ = test.takeTurns()
        #expect(!test.handler.hasEnded && test.client.connection.phase == .closed)
    }

    @Test func `a connection with deferred requests is not idle and not evicted`() throws {
        try read(String(repeating: Self.request, count: 50))
        #expect(client.connection.isIdle && !client.isAtRest)
        client.makeRoom()
        #expect(channel.isActive && takeTurns() > 0)
        // The next response was the last one.
        #expect(handler.requests == 5)
    }

    /// Holds flushed bytes, like a socket whose peer does not read.
    private final class FullSocket: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = ByteBuffer
        func flush(context: ChannelHandlerContext) {}
    }

    @Test(arguments: [("", true), ("Connection: close\r\n", true), ("", false)])
    func `only an idle connection is evicted`(field: String, isFull: Bool) throws {
        if isFull { try channel.pipeline.syncOperations.addHandler(FullSocket(), position: .first) }
        try read("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
        #expect(client.connection.phase == (field.isEmpty ? .awaitingHead : .finishing))
        #expect(client.isAtRest == !isFull)
        client.makeRoom()
        #expect(channel.isActive == isFull)
        if !field.isEmpty { #expect(client.connection.phase == .finishing) }
    }

    @Test func `a connection that closes loses its turn`() throws {
        try read(String(repeating: Self.request, count: 50))
        client.close()
        #expect(takeTurns() == 1)
        #expect(handler.requests == 4)
    }
}
