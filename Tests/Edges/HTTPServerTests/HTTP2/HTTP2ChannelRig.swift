import NIOCore
import NIOEmbedded

@testable import CoreFixtures
@testable import GatewayCore
@testable import HTTPServer

/// An HTTP/2 connection of a client in an embedded channel, with a manual clock. The test plays the client frame by
/// frame.
final class HTTP2ChannelRig {
    struct Frame: Equatable {
        let type: UInt8
        let stream: UInt32
        let payload: [UInt8]

        /// The last stream and the error code of GOAWAY.
        var goAway: [UInt32] { type == 7 ? [Self.number(payload), Self.number(Array(payload.dropFirst(4)))] : [] }

        static func number(_ bytes: [UInt8]) -> UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Denies requests at once, keeps them until the test ends them, or receives their bodies first.
    final class Handler: RequestHandler, RequestHandlerSource {
        var holds = false
        /// Creates the receivers of bodies. `nil` if bodies are not received.
        var receiver: ((ClientHandler) -> BodyReceiver)?
        /// The codes of the requests that have ended.
        private(set) var codes: [DecisionCode] = []
        /// The heads of all requests.
        private(set) var heads: [String] = []
        private(set) var held: [ClientHandler] = []

        func makeHandler() -> any RequestHandler { self }
        var additions: ResponseFieldPolicy? { nil }
        func began(_ client: ClientHandler) {}
        func handle(_ request: RequestView, from client: ClientHandler) {
            heads.append(String(decoding: request.bytes, as: UTF8.self))
            if let receiver { return client.attach(receiver(client)) }
            if holds { held.append(client) } else { client.deny(Denial(.routeNotFound)) }
        }
        func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? { nil }
        func watchExchange(of client: ClientHandler) -> OpenStream? { nil }
        func refusal(of stream: OpenStream) -> DecisionCode? { nil }
        func abandoned(_ client: ClientHandler) {}
        func finished(_ client: ClientHandler) { codes.append(client.record.code) }

        /// Responds to all kept requests.
        func release() {
            for client in held { client.deny(Denial(.routeNotFound)) }
            held = []
        }
    }

    /// Receives a body, and denies the request after it.
    final class BodyReceiver: Responder {
        private unowned let client: ClientHandler
        /// Whether the response begins with the first part of the body.
        private let respondsEarly: Bool

        init(_ client: ClientHandler, respondsEarly: Bool = false) {
            self.client = client
            self.respondsEarly = respondsEarly
        }

        var acceptsBody: Bool { true }
        var responseHasLength: Bool { false }
        func bodyPart(_ part: ByteBuffer) {
            guard respondsEarly, !client.connection.responseStarted else { return }
            _ = client.beginResponse(status: 200, persistent: true)
            client.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
            client.flush()
        }
        func bodyEnded(trailers: ByteBuffer) { client.deny(Denial(.routeNotFound)) }
        func bodyFlush() {}
        func clientWritabilityChanged(isWritable: Bool) {}
        func clientGone() {}
        func tick(now: UInt64) {}
    }

    /// Counts the reads of the socket.
    final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    let clock = ManualClock()
    let context: ConnectionContext
    let channel = EmbeddedChannel()
    let handler = Handler()
    let reads = Reads()
    private let counters = WorkerCounters(routes: 1, upstreams: 1)
    private var received: [UInt8] = []

    /// A connection that has completed its beginning.
    init(begins: Bool = true, _ adjust: (inout ConnectionLimits) -> Void = { _ in }) throws {
        var limits = ConnectionLimits()
        adjust(&limits)
        context = ConnectionContext(limits: limits, clock: clock.clock)
        context.handlers = handler
        let client = ClientHandler(connectionContext: context, peer: PeerAddress(nil))
        try channel.pipeline.syncOperations.addHandlers([reads, client])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let loop = channel.embeddedEventLoop
        let lane = ListenerLane(
            context: NIOLoopBound(context, eventLoop: loop), counters: NIOLoopBound(counters, eventLoop: loop))
        client.listener = ListenerSlot(ListenerSettings(), on: lane)
        client.becomeHTTP2()
        channel.embeddedEventLoop.run()
        guard begins else { return }
        try send(HTTP2Connection.clientBeginning)
        _ = try frames()
    }

    // MARK: - Sending

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.writeInteger(UInt8(0))
        buffer.writeInteger(UInt16(payload.count))
        buffer.writeInteger(type)
        buffer.writeInteger(flags)
        buffer.writeInteger(stream)
        return Array(buffer.readableBytesView) + payload
    }

    /// A field as a literal, which is added to the compression table if `isIndexed`.
    static func field(_ name: String, _ value: String, isIndexed: Bool = false) -> [UInt8] {
        [isIndexed ? 0x40 : 0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + value.utf8
    }

    /// The frame of a request's head, with more fields.
    static func request(
        _ stream: UInt32, _ path: String = "/", method: String = "GET", ends: Bool = true, _ more: [UInt8] = []
    ) -> [UInt8] {
        let fields = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "a")]
        return frame(1, flags: ends ? 5 : 4, stream: stream, fields.flatMap { field($0.0, $0.1) } + more)
    }

    static func data(_ stream: UInt32, _ count: Int, ends: Bool = false) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream: stream, Array(repeating: 1, count: count))
    }

    static func ping() -> [UInt8] { frame(6, Array(repeating: 0, count: 8)) }

    /// Delivers bytes as one read of the socket.
    func send(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        channel.embeddedEventLoop.run()
    }

    /// Runs a round of deferred turns.
    func takeRound() {
        context.turns.takeRound()
        channel.embeddedEventLoop.run()
    }

    /// Responds to all kept requests.
    func release() {
        handler.release()
        channel.embeddedEventLoop.run()
    }

    /// Advances the clock and checks the timeouts.
    func pass(seconds: Double) {
        clock.advance(seconds: seconds)
        context.readClock()
        context.registry.forEach { $0.tick(now: context.time) }
        context.multiplexed.tick(now: context.time)
        channel.embeddedEventLoop.run()
    }

    // MARK: - Receiving

    /// Returns the frames that the gateway wrote since the last call, without SETTINGS and WINDOW_UPDATE.
    func frames() throws -> [Frame] {
        while let part = try channel.readOutbound(as: ByteBuffer.self) { received += part.readableBytesView }
        var frames: [Frame] = []
        while received.count >= 9 {
            let length = Int(received[1]) << 8 | Int(received[2])
            guard received.count >= 9 + length else { break }
            let frame = Frame(
                type: received[3], stream: Frame.number(Array(received[5..<9])),
                payload: Array(received[9..<9 + length]))
            received.removeFirst(9 + length)
            if frame.type != 4, frame.type != 8 { frames.append(frame) }
        }
        return frames
    }

    /// Returns a counter of the worker.
    func count(_ counter: WorkerCounters.Counter) -> UInt64 { counters.snapshot()[counter] }

    /// Returns the GOAWAY frames since the last call: their last streams and error codes.
    func goAways() throws -> [[UInt32]] { try frames().map(\.goAway).filter { !$0.isEmpty } }
}

extension [HTTP2ChannelRig.Frame] {
    /// The streams with a response.
    var answered: [UInt32] { filter { $0.type == 1 }.map(\.stream) }
    /// The reset streams, with their error codes.
    var resets: [[UInt32]] { filter { $0.type == 3 }.map { [$0.stream, HTTP2ChannelRig.Frame.number($0.payload)] } }
}
