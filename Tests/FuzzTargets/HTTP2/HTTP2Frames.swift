internal import GatewayCore
internal import HTTPServer
internal import NIOCore
internal import NIOEmbedded
internal import Synchronization
internal import WireFuzzTargets

/// Frames of HTTP/2 clients: the bytes pass through all handlers of a connection in memory, in random pieces.
///
/// The bits of the first byte: the connection begins with the preface and SETTINGS; requests are held until the end;
/// a second passes after each piece; the client reads nothing; a connection has at most two streams.
public func fuzzHTTP2Frames(_ input: UnsafeRawBufferPointer) {
    guard let options = input.first else { return }
    guard let connection = try? FuzzedConnection(FuzzedConnection.Options(rawValue: options)) else {
        return require(false, "a connection begins")
    }
    connection.run(input.part(1..<input.count))
}

/// A connection in memory, with its properties.
private final class FuzzedConnection {
    struct Options: OptionSet {
        let rawValue: UInt8
        static let begins = Options(rawValue: 1)
        static let holds = Options(rawValue: 2)
        static let takesTime = Options(rawValue: 4)
        static let readsNothing = Options(rawValue: 8)
        static let hasFewStreams = Options(rawValue: 16)
    }

    private let options: Options
    private let clock = FuzzedClock()
    private let channel = EmbeddedChannel()
    private let context: ConnectionContext
    private let requests: FuzzedRequests
    private let streams: Int
    private var sent = 0
    private var received = 0

    init(_ options: Options) throws {
        self.options = options
        var limits = ConnectionLimits()
        if options.contains(.hasFewStreams) { limits.http2.streams = 2 }
        streams = limits.http2.streams
        context = ConnectionContext(limits: limits, clock: clock.clock, loop: channel.embeddedEventLoop)
        requests = FuzzedRequests(holds: options.contains(.holds))
        context.handlers = requests
        try HTTP2Connection.open(channel, context)
        channel.embeddedEventLoop.run()
    }

    func run(_ input: UnsafeRawBufferPointer) {
        if options.contains(.readsNothing) {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
        }
        if options.contains(.begins) { HTTP2Connection.clientBeginning.withUnsafeBytes(deliver) }
        var seed = InputSeed(input)
        let largest = max(1, input.count / 16)
        var start = 0
        while start < input.count {
            let end = min(input.count, start + Int.random(in: 1...(largest + 9), using: &seed))
            deliver(input.part(start..<end))
            start = end
        }
        end()
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        guard channel.isActive else { return }
        sent += bytes.count
        // Errors of the connection are thrown here.
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        if options.contains(.takesTime) { clock.advance(seconds: 1) }
        settle()
    }

    /// Runs everything that is due, and checks the bounds.
    private func settle() {
        for _ in 0..<4 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(200))
            context.readClock()
            context.multiplexed.tick(now: context.time)
            channel.embeddedEventLoop.run()
        }
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { received += part.readableBytes }
        require(context.multiplexed.streamCount <= streams, "the open streams are within their limit")
        require(received <= 128 * sent + 65_536, "the output is bounded by the input")
    }

    /// Ends all requests and then the connection. Nothing remains.
    private func end() {
        requests.release()
        settle()
        for _ in 0..<3 {
            clock.advance(seconds: 7_200)
            settle()
        }
        for connection in context.multiplexed.elements { connection.stop() }
        settle()
        require(!channel.isActive, "a connection ends")
        require(context.multiplexed.isEmpty && context.connectionCount == 0, "no connection remains")
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

/// Checks the heads of all requests, and denies each at once or at the end.
private final class FuzzedRequests: RequestHandler, RequestHandlerSource {
    private let holds: Bool
    private var held: [ClientHandler] = []

    init(holds: Bool) {
        self.holds = holds
    }

    func handle(_ request: RequestView, from client: ClientHandler) {
        Array(request.bytes).withUnsafeBytes(fuzzHeads)
        if holds { held.append(client) } else { client.deny(Denial(.routeNotFound)) }
    }

    func release() {
        let clients = held
        held = []
        for client in clients { client.deny(Denial(.routeNotFound)) }
    }

    func abandoned(_ client: ClientHandler) {
        held.removeAll { $0 === client }
    }

    func makeHandler() -> any RequestHandler { self }
    var additions: ResponseFieldPolicy? { nil }
    func began(_ client: ClientHandler) {}
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? { nil }
    func watchExchange(of client: ClientHandler) -> OpenStream? { nil }
    func refusal(of stream: OpenStream) -> DecisionCode? { nil }
    func finished(_ client: ClientHandler) {}
}

/// A clock that only the target advances.
private final class FuzzedClock: Sendable {
    private let elapsed = Mutex<UInt64>(0)

    var clock: GatewayClock {
        GatewayClock(
            now: { 1_700_000_000 + Int64(self.elapsed.withLock { $0 } / 1_000_000_000) },
            monotonic: { 1_000_000_000_000 + self.elapsed.withLock { $0 } })
    }

    func advance(seconds: UInt64) { elapsed.withLock { $0 += seconds * 1_000_000_000 } }
}
