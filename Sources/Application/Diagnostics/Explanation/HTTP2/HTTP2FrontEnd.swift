import Gatehouse
import GatewayCore
import HTTPServer
import NIOCore
import NIOEmbedded
import NIOHPACK

/// The gateway's front end of HTTP/2 on connections in memory, with the handlers, settings and limits of a listener's
/// connection. Each exchange has a connection of its own.
struct HTTP2FrontEnd: Sendable {
    typealias Field = (name: String, value: String)

    /// The result of one stream.
    struct Exchange {
        /// The head that the pipeline receives. `nil` if the front end rejected the request.
        var head: [UInt8]?
        /// The fields of the response. Empty if there is none.
        var response: [Field] = []
        /// The error code of RST_STREAM.
        var reset: UInt32?
        /// The error code of GOAWAY.
        var goAway: UInt32?
    }

    let limits: ConnectionLimits
    let clock: GatewayClock

    /// Sends the head of a request.
    ///
    /// - Parameter denial: The response. `nil` to leave the request without one.
    /// - Throws: Errors of the channel. Errors of the request are part of the result.
    func exchange(_ request: StreamRequest, denial: Denial? = nil) throws -> Exchange {
        let context = ConnectionContext(limits: limits, clock: clock)
        let collector = HeadCollector(denial)
        context.handlers = collector
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try HTTP2Connection.open(channel, context)
        channel.embeddedEventLoop.run()
        // The gateway's settings apply after their acknowledgement.
        for bytes in [HTTP2Connection.clientBeginning, request.frames(stream: Self.stream)] {
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            channel.embeddedEventLoop.run()
        }
        var received = ByteBuffer()
        while var part = try channel.readOutbound(as: ByteBuffer.self) { received.writeBuffer(&part) }
        // The context holds its handlers weakly.
        return try withExtendedLifetime(collector) { try Self.exchange(of: &received, collector.head) }
    }

    private static let stream: UInt32 = 1

    /// Reads the frames that the gateway wrote.
    private static func exchange(of received: inout ByteBuffer, _ head: [UInt8]?) throws -> Exchange {
        var exchange = Exchange(head: head)
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        while let header = received.readBytes(length: 9) {
            let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            guard var payload = received.readSlice(length: length) else { break }
            switch header[3] {
            case 1 where exchange.response.isEmpty:
                exchange.response = try decoder.decodeHeaders(from: &payload).map { ($0.name, $0.value) }
            case 3: exchange.reset = payload.readInteger()
            case 7:
                payload.moveReaderIndex(forwardBy: min(4, payload.readableBytes))
                exchange.goAway = payload.readInteger()
            default: break
            }
        }
        return exchange
    }
}

/// Keeps the head of the only request of a connection, and denies the request if there is a denial.
private final class HeadCollector: RequestHandler, RequestHandlerSource {
    private let denial: Denial?
    private(set) var head: [UInt8]?

    init(_ denial: Denial?) {
        self.denial = denial
    }

    func handle(_ request: RequestView, from client: ClientHandler) {
        head = Array(request.bytes)
        client.record.wantsGRPC = request.isGRPCCall
        if let denial { client.deny(denial) }
    }

    func makeHandler() -> any RequestHandler { self }
    var additions: ResponseFieldPolicy? { nil }
    func began(_ client: ClientHandler) {}
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? { nil }
    func watchExchange(of client: ClientHandler) -> OpenStream? { nil }
    func refusal(of stream: OpenStream) -> DecisionCode? { nil }
    func abandoned(_ client: ClientHandler) {}
    func finished(_ client: ClientHandler) {}
}
