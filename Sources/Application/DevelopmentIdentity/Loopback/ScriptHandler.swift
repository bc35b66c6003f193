internal import NIOCore
internal import NIOHTTP1

/// Reads the requests of one connection and plays the scripts that the service answers with, one after the other.
final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// What a client may pile up by sending requests ahead of their answers.
    private static let mostSteps = 4096

    private let service: any LoopbackService
    private let connection: Int
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private var requests = 0
    private var current: ReceivedRequest?
    private var player: ScriptPlayer?

    init(service: any LoopbackService, connection: Int, decoder: ByteToMessageHandler<HTTPRequestDecoder>) {
        self.service = service
        self.connection = connection
        self.decoder = decoder
    }

    func handlerAdded(context: ChannelHandlerContext) {
        player = ScriptPlayer(context: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        player = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let bytes): bytes.withUnsafeReadableBytes { current?.append(body: $0) }
        case .end(let trailers): finish(trailers, context)
        }
        if let player, player.pending > Self.mostSteps { context.close(promise: nil) }
    }

    private func begin(_ head: HTTPRequestHead) {
        requests += 1
        let request = ReceivedRequest(head, connection: connection, request: requests)
        current = request
        player?.play(service.begin(request))
    }

    private func finish(_ trailers: HTTPHeaders?, _ context: ChannelHandlerContext) {
        guard var request = current else { return }
        current = nil
        request.trailers = (trailers ?? [:]).map(ReceivedRequest.Field.init(name:untrimmed:))
        request.isComplete = true
        if let upgrade = service.upgrade(request) { return change(upgrade, context) }
        player?.play(service.answer(request))
        // The decoder reads nothing behind a request for an upgrade.
        if !request.keepAlive || request.value(of: "Upgrade") != nil { player?.play([.close]) }
    }

    /// Leaves the connection to somebody else, with what has come already behind the request.
    private func change(_ upgrade: Upgrade, _ context: ChannelHandlerContext) {
        player?.play([.send(upgrade.head)])
        let operations = context.pipeline.syncOperations
        try? operations.addHandler(upgrade.handler, position: .after(decoder))
        operations.removeHandler(decoder, promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        player?.continuePlaying()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        player?.stop()
        abandon()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        abandon()
        guard error is HTTPParserError else { return context.close(promise: nil) }
        player?.play(service.reject("\(error)") + [.close])
    }

    private func abandon() {
        if let request = current { service.abandon(request) }
        current = nil
    }
}

extension ReceivedRequest {
    fileprivate init(_ head: HTTPRequestHead, connection: Int, request: Int) {
        self.init(
            method: head.method.rawValue, target: head.uri,
            version: "HTTP/\(head.version.major).\(head.version.minor)",
            fields: head.headers.map(Field.init(name:untrimmed:)),
            connection: connection, request: request,
            keepAlive: head.version == .http1_1 && head.isKeepAlive)
    }
}

extension ReceivedRequest.Field {
    /// NIO's parser takes the whitespace before a value away, but not the one after it.
    fileprivate init(name: String, untrimmed: String) {
        let trimmed = untrimmed.utf8.reversed().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        self.init(name: name, value: String(decoding: trimmed.reversed(), as: UTF8.self))
    }
}
