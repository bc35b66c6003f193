import GatewayCore
package import NIOCore
import NIOHTTP2

extension HTTP2Connection {
    /// The first bytes of a client without settings of its own: the preface, empty SETTINGS, and the acknowledgement of
    /// the gateway's SETTINGS.
    package static let clientBeginning: [UInt8] =
        PrefaceSniffer.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 0, 4, 1, 0, 0, 0, 0]

    /// Opens a channel in memory that has no handlers, and adds the handlers of an HTTP/2 connection.
    package static func open(_ channel: any Channel, _ connectionContext: ConnectionContext) throws {
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let place = ClientHandler(connectionContext: connectionContext, peer: PeerAddress(nil))
        try channel.pipeline.syncOperations.addHandler(place)
        place.becomeHTTP2()
    }

    /// Adds the handlers of HTTP/2 to a connection that uses it, in place of the handler of HTTP/1.1.
    static func install(in place: ClientHandler, _ context: ChannelHandlerContext) throws {
        let connection = HTTP2Connection(
            place.connectionContext, peer: place.origins.peer, listener: place.listener, holder: place.holder,
            counters: place.listener?.counters)
        connection.accepted = place.accepted
        let frames = FrameGuard(connection)
        connection.frames = frames
        let pipeline = context.pipeline.syncOperations
        let bound = NIOLoopBound(connection, eventLoop: context.eventLoop)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: context.eventLoop, connectionConfiguration: connection.configuration,
            streamConfiguration: connection.streamConfiguration
        ) { channel in
            channel.eventLoop.makeCompletedFuture { try bound.value.accept(channel) }
        }
        place.holder = nil
        place.connectionContext.multiplexed.add(connection)
        try pipeline.addHandlers([frames, handler, HTTP2EventHandler(connection)])
        pipeline.removeHandler(place, promise: nil)
    }

    private func accept(_ channel: any Channel) throws {
        let client = ClientHandler(connectionContext: connectionContext, peer: peer)
        let codec = HTTP2StreamCodec(self, client)
        client.http2 = codec
        client.listener = listener
        client.accepted = accepted
        try channel.pipeline.syncOperations.addHandlers([codec, client])
    }

    /// NIO's own limits are above the gateway's, whose reactions differ: see ``InboundFrames`` and ``RequestMapping``.
    private var configuration: NIOHTTP2Handler.ConnectionConfiguration {
        let head = connectionContext.limits
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streams + limits.streams / 2 + 16),
            HTTP2Setting(parameter: .initialWindowSize, value: limits.streamWindow),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 2 * head.headSize + 64 * head.headFields),
            HTTP2Setting(parameter: .enableConnectProtocol, value: 1),
            // SETTINGS_NO_RFC7540_PRIORITIES (RFC 9218 section 2.1).
            HTTP2Setting(parameter: HTTP2SettingsParameter(extensionSetting: 9), value: 1),
        ]
        configuration.targetWindowSize = limits.connectionWindow
        configuration.maximumSequentialEmptyDataFrames = 1 << 30
        configuration.maximumBufferedControlFrames = 1_000
        configuration.maximumSequentialContinuationFrames = HTTP2Limits.continuations + 1
        configuration.maximumConnectionGlitches = .max
        configuration.maximumRecentlyResetStreams = HTTP2Limits.resetStreams
        configuration.controlFrameRateLimit.maximumCount = max(400, 2 * limits.controlFrames)
        configuration.controlFrameRateLimit.windowLength = .milliseconds(100)
        return configuration
    }

    private var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.targetWindowSize = limits.streamWindow
        configuration.outboundBufferSizeHighWatermark = 65_536
        configuration.outboundBufferSizeLowWatermark = 32_768
        configuration.streamResetFrameRateLimit.maximumCount = max(400, 2 * limits.resets)
        configuration.streamResetFrameRateLimit.windowLength = .milliseconds(100)
        configuration.streamErrorRateLimit.maximumCount = max(400, 2 * limits.resets)
        configuration.streamErrorRateLimit.windowLength = .milliseconds(100)
        return configuration
    }
}

/// The last handler of an HTTP/2 connection, for events of the connection.
private final class HTTP2EventHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let connection: HTTP2Connection

    init(_ connection: HTTP2Connection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Frames of the connection, which NIO has handled.
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as ChannelEvent where event == .inputClosed: connection.peerEnded()
        case is ConnectionLeaseHolder.MakeRoom: connection.makeRoom()
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // The dynamic table of the encoder is no longer the client's: a later head would be decoded as another.
        case is NIOHTTP2Errors.UnableToSerializeFrame: connection.fail(.encoding)
        // Errors of streams, and errors of the connection after which NIO sends GOAWAY; see `FrameGuard`.
        case is any NIOHTTP2Error: break
        // A reset, a failed write, or an end without TLS's close notification.
        default: connection.stop()
        }
    }
}
