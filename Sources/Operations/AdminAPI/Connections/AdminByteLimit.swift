import NIOCore

/// Closes a connection that sends more than a request can be, before anything decodes it.
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
