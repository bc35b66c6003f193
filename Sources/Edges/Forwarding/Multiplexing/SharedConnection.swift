import GatewayCore
import HTTPServer
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOSSL

/// The last channel handler of an HTTP/2 connection to a server, whose streams are channels of their own.
///
/// It reads the frames that concern the connection, and closes the connection after an error: NIO sends GOAWAY, but
/// leaves the channel open.
final class SharedConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The reason for the end of a connection.
    enum End: Equatable {
        /// The gateway or the server ends it in an orderly way.
        case orderly
        /// GOAWAY with this error code.
        case goAway(String)
        /// The server violated the protocol.
        case violation(String)
        /// The server sent nothing after a PING.
        case silent
        /// The server closed the connection.
        case closed
    }

    /// An event for the owner of the connection.
    enum Event {
        /// The server's limit of concurrent streams has changed. `nil` without a limit.
        case limited(Int?)
        /// The server acknowledged a PING.
        case acknowledged
        /// The connection receives no more streams, but may finish its current ones.
        case draining(End)
        /// The connection was closed.
        case closed(End)
    }

    /// The identifier of the last stream that the server may have processed, after its GOAWAY.
    private(set) var lastProcessed: HTTP2StreamID?
    /// The server's limit of concurrent streams. `nil` without a limit.
    private(set) var streamLimit: Int?
    /// The maximum size of a request's field list that the server accepts. `nil` without a limit.
    private(set) var fieldListLimit: Int?
    /// When bytes of a stream, or the acknowledgement of a PING, were last received.
    var lastReceived: UInt64 = 0 {
        didSet { keepAlive.received(now: lastReceived) }
    }
    private var keepAlive: KeepAlive
    /// Whether streams ended with the connection.
    var hasLostStreams = false
    /// Handles the events. `nil` before the connection is ready.
    var onEvent: ((Event) -> Void)?
    private let ready: EventLoopPromise<Void>
    private var context: ChannelHandlerContext?
    private var multiplexer: NIOHTTP2Handler.StreamMultiplexer?
    private var isReady = false
    private var hasFailed = false
    private var hasReplacedBytes = false
    private var end = End.closed
    private let written = WrittenFrames()
    private let settings: UpstreamSettings

    /// The largest SETTINGS_HEADER_TABLE_SIZE that is accepted. NIO's table grows to the server's size, and is searched
    /// line by line.
    private static let maximumTableSize = 65_536

    init(settings: UpstreamSettings, loop: any EventLoop) {
        self.settings = settings
        keepAlive = KeepAlive(settings.http2.keepAlive, now: 0)
        ready = loop.makePromise()
    }

    /// Succeeds when the server's first SETTINGS were received, and fails if the connection ends before.
    var whenReady: EventLoopFuture<Void> { ready.futureResult }

    /// Whether new streams may be opened.
    var acceptsStreams: Bool {
        context?.channel.isActive == true && !hasFailed && !hasReplacedBytes && lastProcessed == nil
    }

    /// Adds the handlers of HTTP/2 and this one to a pipeline.
    func install(in pipeline: ChannelPipeline.SynchronousOperations) throws {
        // The variant for concurrency is the only one that reports written frames. Servers cannot open streams.
        _ = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .client, streamDelegate: nil, frameDelegate: written, configuration: settings.http2.configuration
        ) { channel in channel.eventLoop.makeSucceededVoidFuture() }
        multiplexer = try pipeline.handler(type: NIOHTTP2Handler.self).syncMultiplexer()
        try pipeline.addHandler(self)
    }

    /// Opens a stream for one request, with `handler` above the conversion from HTTP/1.1.
    ///
    /// - Parameter deadline: The time by the clock when the request's `grpc-timeout` ends. 0 without one.
    func openStream(
        _ handler: any ChannelInboundHandler, isSecure: Bool, clock: @escaping () -> UInt64,
        deadline: @escaping () -> UInt64 = { 0 },
        onEnd: @escaping (_ isReset: Bool) -> Void
    ) -> EventLoopFuture<any Channel> {
        guard let context, let multiplexer, acceptsStreams else {
            return whenReady.eventLoop.makeFailedFuture(StreamProblem.refused)
        }
        let loop = context.eventLoop
        let codec = StreamCodec(on: self, isSecure: isSecure, clock: clock, deadline: deadline, onEnd: onEnd)
        let parts = NIOLoopBound((codec, handler), eventLoop: loop)
        let opened = loop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: opened) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(parts.value.0)
                try channel.pipeline.syncOperations.addHandler(parts.value.1)
            }
        }
        return opened.futureResult
    }

    /// Records that the connection could not be opened.
    func abandon(_ error: any Error) {
        guard !isReady else { return }
        hasFailed = true
        isReady = true
        ready.fail(error)
    }

    /// Stops new streams after a field whose bytes NIO replaced: its compression table now differs from the server's,
    /// and a later head may be an error of the connection.
    func stopAfterReplacedBytes() {
        guard !hasReplacedBytes else { return }
        hasReplacedBytes = true
        onEvent?(.draining(.violation("a field of a response is not UTF-8")))
    }

    /// Closes the connection and ends its streams.
    func close(_ end: End = .orderly) {
        guard !hasFailed else { return }
        hasFailed = true
        self.end = end
        // The close of a TLS connection takes time, in which it must receive no streams.
        onEvent?(.draining(.orderly))
        guard end == .silent, let context,
            let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        else {
            context?.close(promise: nil)
            return
        }
        // A server that is gone sends no close notification.
        tls.close(promise: nil)
    }

    /// Sends a PING if one is due, and closes the connection if the server sent nothing after the last one.
    func tick(now: UInt64, hasStreams: Bool) {
        guard let context, context.channel.isWritable else { return }
        switch keepAlive.tick(now: now, mayPing: hasStreams) {
        case .none: break
        case .ping:
            let ping = HTTP2Frame.FramePayload.ping(HTTP2PingData(withInteger: 0), ack: false)
            context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: ping)), promise: nil)
        case .close: close(.silent)
        }
    }

    // MARK: - Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        onEvent = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)): apply(settings)
        case .goAway(let last, let code, _): stopped(last, code)
        case .ping(_, ack: true): onEvent?(.acknowledged)
        default: break
        }
    }

    private func apply(_ settings: HTTP2Settings) {
        let wasLimited = streamLimit
        for setting in settings {
            switch setting.parameter {
            case .maxConcurrentStreams: streamLimit = setting.value
            case .maxHeaderListSize: fieldListLimit = setting.value
            case .headerTableSize where setting.value > Self.maximumTableSize:
                return close(.violation("SETTINGS_HEADER_TABLE_SIZE is above \(Self.maximumTableSize)"))
            default: break
            }
        }
        guard isReady else {
            isReady = true
            return ready.succeed()
        }
        if streamLimit != wasLimited { onEvent?(.limited(streamLimit)) }
    }

    private func stopped(_ last: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        lastProcessed = last
        onEvent?(.draining(code == .noError ? .orderly : .goAway(code.name)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if written.hasGoAway { return close(.violation(Self.name(of: error))) }
        switch error {
        case is NIOHTTP2Errors.UnableToSerializeFrame:
            // The server's compression table may differ from this side's.
            close(.violation("a head could not be encoded"))
        case is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.StreamClosed,
            is NIOHTTP2Errors.CreatedStreamAfterGoaway, is NIOHTTP2Errors.StreamError:
            break
        case _ where written.takeReset(): break
        default: close(.violation(Self.name(of: error)))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        abandon(StreamProblem.connection(end.text))
        hasFailed = true
        onEvent?(.closed(end))
        onEvent = nil
        context.fireChannelInactive()
    }

    private static func name(of error: any Error) -> String { String(describing: type(of: error)) }
}

/// The frames that NIO wrote on its own: they distinguish errors of the connection from errors of a stream, which NIO
/// reports alike.
private final class WrittenFrames: NIOHTTP2FrameDelegate {
    private(set) var hasGoAway = false
    private var hasReset = false

    func wroteFrame(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .goAway: hasGoAway = true
        case .rstStream: hasReset = true
        default: break
        }
    }

    /// Returns whether a stream was reset since the last call.
    func takeReset() -> Bool {
        defer { hasReset = false }
        return hasReset
    }
}

extension SharedConnection.End {
    /// The reason for logs.
    var text: String {
        switch self {
        case .orderly: "the connection was replaced"
        case .goAway(let code): "GOAWAY with \(code)"
        case .violation(let what): "protocol violation: \(what)"
        case .silent: "the server did not respond to PING"
        case .closed: "the server closed the connection"
        }
    }
}

extension HTTP2ErrorCode {
    /// The name in RFC 9113 section 7.
    var name: String {
        switch self {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        default: "code \(networkCode)"
        }
    }
}

extension HTTP2Limits {
    /// The settings of NIO's handler.
    fileprivate var configuration: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: streamWindow),
            HTTP2Setting(parameter: .maxHeaderListSize, value: Self.fieldListSize),
        ]
        // The conversion checks both, more strictly, and gives the reason.
        configuration.connection.headerBlockValidation = .disabled
        configuration.connection.contentLengthValidation = .disabled
        configuration.connection.targetWindowSize = connectionWindow
        configuration.stream.targetWindowSize = streamWindow
        configuration.stream.outboundBufferSizeHighWatermark = 65_536
        configuration.stream.outboundBufferSizeLowWatermark = 16_384
        // NIO counts these for all streams of the connection, or over its whole life, and ends it with the streams of
        // all users. Users cause resets, and servers of gRPC send a PING per round trip. In this window, the limit is
        // beyond what a connection can do with requests.
        let (count, window) = (2_000, TimeAmount.milliseconds(10))
        configuration.connection.controlFrameRateLimit.maximumCount = count
        configuration.connection.controlFrameRateLimit.windowLength = window
        configuration.stream.streamResetFrameRateLimit.maximumCount = count
        configuration.stream.streamResetFrameRateLimit.windowLength = window
        configuration.stream.streamErrorRateLimit.maximumCount = count
        configuration.stream.streamErrorRateLimit.windowLength = window
        configuration.connection.maximumSequentialContinuationFrames = Self.fieldListSize / 16_384
        configuration.connection.maximumSequentialEmptyDataFrames = 10_000
        configuration.connection.maximumConnectionGlitches = .max
        configuration.connection.maximumRecentlyResetStreams = SharedConnections.maximumResets
        return configuration
    }
}
