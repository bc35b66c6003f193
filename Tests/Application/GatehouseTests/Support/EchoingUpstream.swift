import NIOCore
import NIOPosix
import NIOSSL

@testable import SystemFixtures

/// An upstream that responds to each request with 200, on loopback or a local socket, optionally over TLS.
final class EchoingUpstream: Sendable {
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameters:
    ///   - path: A local socket. `nil` for loopback.
    ///   - received: Receives the head of each request.
    init(
        path: String? = nil, tls: TLSConfiguration? = nil, received: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let address =
            try path.map { try SocketAddress(unixDomainSocketPath: $0) }
            ?? SocketAddress(ipAddress: "127.0.0.1", port: 0)
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(Responder(received))
                }
            }
            .bind(to: address).wait()
    }

    deinit { channel.close(promise: nil) }

    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: @Sendable (String) -> Void
        private var text = ""

        init(_ received: @escaping @Sendable (String) -> Void) {
            self.received = received
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            // Bodies of the requests contain no empty line.
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return }
            let head = WireMessage(head: String(parts[0]))
            guard parts[1].utf8.count >= head.value("Content-Length").flatMap({ Int($0) }) ?? 0 else { return }
            text = ""
            received(head.head)
            let response = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            context.writeAndFlush(NIOAny(response), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
