import HTTPWire
import NIOCore

/// A channel handler that removes the PROXY header, fires an event with the client's address, and removes itself. A
/// connection that begins differently is closed.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let opening: ConnectionOpening?
    private var held = ByteBuffer()
    private var isDone = false

    init(_ opening: ConnectionOpening?) {
        self.opening = opening
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        var arrived = unwrapInboundIn(data)
        held.hold(&arrived)
        switch held.withUnsafeReadableBytes(ProxyHeader.find) {
        case .needsMore: break
        case .malformed: refuse(context)
        case .complete(let length, let source):
            held.moveReaderIndex(forwardBy: length)
            pass(context, source)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !isDone, case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { return refuse(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func pass(_ context: ChannelHandlerContext, _ source: IPAddress?) {
        isDone = true
        let rest = held
        held = ByteBuffer()
        context.fireUserInboundEventTriggered(ProxyHeaderRead(source: source))
        if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard !isDone else { return }
        isDone = true
        held = ByteBuffer()
        opening?.headerFailed()
        context.close(promise: nil)
    }
}
