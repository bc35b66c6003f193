import NIOCore

/// A channel handler of cleartext connections that may use HTTP/2 by prior knowledge (RFC 9113 section 3.3). It decides
/// by the first bytes, then removes itself.
final class PrefaceSniffer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let client: ClientHandler
    private var held = ByteBuffer()
    private var isDone = false
    private var timeout: Scheduled<Void>?

    init(_ client: ClientHandler) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        var arrived = unwrapInboundIn(data)
        held.hold(&arrived)
        let known = held.readableBytesView.prefix(Self.preface.count)
        guard known.elementsEqual(Self.preface.prefix(known.count)) else { return pass(context, isHTTP2: false) }
        if known.count == Self.preface.count { return pass(context, isHTTP2: true) }
        if timeout == nil { expectRest(context) }
    }

    /// Closes a connection that sends a part of the preface only.
    private func expectRest(_ context: ChannelHandlerContext) {
        let channel = context.channel
        let limit = Int64(clamping: client.connectionContext.limits.headTimeout)
        timeout = context.eventLoop.scheduleTask(in: .nanoseconds(limit)) { channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !isDone, case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { pass(context, isHTTP2: false) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        context.fireChannelInactive()
    }

    private func pass(_ context: ChannelHandlerContext, isHTTP2: Bool) {
        isDone = true
        timeout?.cancel()
        if isHTTP2 { client.becomeHTTP2() }
        let bytes = held
        held = ByteBuffer()
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
