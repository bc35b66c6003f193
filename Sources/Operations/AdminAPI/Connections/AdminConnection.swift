import GatewayCore
import NIOCore
import NIOHTTP1

/// The channel handler of one admin connection: it receives one request, responds and closes.
final class AdminConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case receiving(HTTPRequestHead?, body: [UInt8])
        case responding(isHead: Bool)
        case streaming(DecisionStream)
        case closing
    }

    private let api: AdminAPI
    private let limits: AdminServer.Limits
    private let open: AdminConnections
    private var state = State.receiving(nil, body: [])
    private var deadline: Scheduled<Void>?

    init(api: AdminAPI, limits: AdminServer.Limits, open: AdminConnections) {
        self.api = api
        self.limits = limits
        self.open = open
    }

    func channelActive(context: ChannelHandlerContext) {
        schedule(limits.headTimeout, context: context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        if case .streaming(let stream) = state { stream.cancel() }
        state = .closing
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .streaming(let stream) = state { stream.write() }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .receiving(let head, var body) = state else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): receive(head, context: context)
        case .body(let bytes):
            guard body.count + bytes.readableBytes <= limits.bodySize else {
                return refuse(Self.tooLarge, context: context)
            }
            body.append(contentsOf: bytes.readableBytesView)
            state = .receiving(head, body: body)
        case .end:
            if let head { respond(to: head, body: body, context: context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .receiving = state, error is HTTPParserError else { return context.close(promise: nil) }
        refuse(error as? HTTPParserError == .headerOverflow ? Self.headTooLarge : Self.malformed, context: context)
    }

    private func receive(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let size = head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard size <= limits.headSize else { return refuse(Self.headTooLarge, context: context) }
        state = .receiving(head, body: [])
        schedule(limits.requestTimeout, context: context)
    }

    private func respond(to head: HTTPRequestHead, body: [UInt8], context: ChannelHandlerContext) {
        let request = AdminRequest(
            method: head.method.rawValue, target: head.uri, headers: head.headers.map { ($0.name, $0.value) },
            body: body, localAddress: context.localAddress?.ipAddress, peer: PeerAddress(context.remoteAddress))
        state = .responding(isHead: head.method == .HEAD)
        schedule(limits.responseTimeout, context: context)
        let call: AdminCall
        let caller: AdminCaller?
        switch api.admit(request) {
        case .response(let response): return send(response, context: context)
        case .stream(let viewer): return begin(viewer, context: context)
        case .flow(let perform): return respond(with: perform, context: context)
        case .call(let admitted, let client):
            call = admitted
            caller = client
        }
        if !call.isPublic { open.keep(context.channel) }
        let api = api
        respond(with: { await api.respond(to: call, body: body, by: caller) }, context: context)
    }

    private func respond(with perform: @escaping @Sendable () async -> AdminResponse, context: ChannelHandlerContext) {
        context.eventLoop.makeFutureWithTask { await perform() }
            .assumeIsolated().whenSuccess { [self] response in send(response, context: context) }
    }

    private func begin(_ viewer: DecisionViewer, context: ChannelHandlerContext) {
        deadline?.cancel()
        open.keep(context.channel)
        let stream = DecisionStream(viewer, on: context.channel, heartbeat: limits.heartbeat)
        state = .streaming(stream)
        stream.begin()
    }

    private func refuse(_ response: AdminResponse, context: ChannelHandlerContext) {
        state = .responding(isHead: false)
        send(response, context: context)
    }

    /// Sends the response, unless one was sent already or the connection is closed.
    private func send(_ response: AdminResponse, context: ChannelHandlerContext) {
        guard case .responding(let isHead) = state else { return }
        state = .closing
        var headers = HTTPHeaders([
            ("Content-Type", response.contentType), ("Content-Length", String(response.body.count)),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Connection", "close"),
        ])
        for (name, value) in response.extra.sorted(by: { $0.key < $1.key }) { headers.add(name: name, value: value) }
        let status = HTTPResponseStatus(statusCode: response.status)
        write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), context: context)
        if !isHead {
            write(.body(.byteBuffer(context.channel.allocator.buffer(bytes: response.body))), context: context)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    private func write(_ part: HTTPServerResponsePart, context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(part), promise: nil)
    }

    /// Sets the only deadline. The deadline of the response also limits a client that does not read it.
    private func schedule(_ time: TimeAmount, context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in expire(context: context) }
    }

    private func expire(context: ChannelHandlerContext) {
        switch state {
        case .receiving: refuse(Self.late, context: context)
        case .responding: send(AdminAPI.timeout, context: context)
        case .streaming: return
        case .closing: break
        }
        // A client that does not read the response within a second does not receive it.
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }
}

extension AdminConnection {
    private static let malformed = AdminResponse.problem(
        .malformed, title: "The request is malformed", detail: "Send a well-formed HTTP/1.1 request.")
    private static let headTooLarge = AdminResponse.problem(
        .headTooLarge, title: "The request head is too large", detail: "At most 8 KiB.")
    private static let tooLarge = AdminResponse.problem(
        .tooLarge, title: "The request body is too large", detail: "At most 64 KiB.")
    private static let late = AdminResponse.problem(
        .timeout, title: "The request did not arrive in time", detail: "Send the whole request sooner.")
}

/// A channel handler that closes a connection if it sends more than a request may contain, before decoding.
final class AdminByteLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var left: Int

    init(bytes: Int) {
        left = bytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        left -= unwrapInboundIn(data).readableBytes
        if left < 0 { context.close(promise: nil) } else { context.fireChannelRead(data) }
    }
}
