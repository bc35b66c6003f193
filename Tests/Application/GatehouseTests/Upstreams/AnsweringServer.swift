import NIOCore
import NIOPosix
import NIOSSL

/// A server that answers every request with 200 and `ok`: over TLS, or on a socket of this machine.
final class AnsweringServer: Sendable {
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameters:
    ///   - path: of a socket; nil: on loopback.
    ///   - tls: nil: plain.
    init(path: String? = nil, tls: TLSConfiguration? = nil) throws {
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let address =
            try path.map { try SocketAddress(unixDomainSocketPath: $0) }
            ?? SocketAddress(ipAddress: "127.0.0.1", port: 0)
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(Answer())
                }
            }
            .bind(to: address).wait()
    }

    deinit { channel.close(promise: nil) }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var seen = ""

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            seen += String(buffer: unwrapInboundIn(data))
            guard seen.hasSuffix("\r\n\r\n") else { return }
            seen = ""
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            context.writeAndFlush(NIOAny(answer), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
