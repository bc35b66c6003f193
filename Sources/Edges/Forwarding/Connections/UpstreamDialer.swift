import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Opens connections to the servers of one upstream, TLS included.
struct UpstreamDialer: Sendable {
    let settings: UpstreamSettings

    /// A connection that is ready for a request. Call it on `loop`.
    ///
    /// - Parameters:
    ///   - timeout: in nanoseconds, for everything.
    ///   - handler: gets what the server sends; it is told nothing of a connection that comes to nothing.
    func dial(
        _ endpoint: UpstreamEndpoint, on loop: any EventLoop, timeout: UInt64, handler: some ChannelInboundHandler
    ) -> EventLoopFuture<any Channel> {
        let server = settings.servers[endpoint.server]
        let handshake = server.isSecure ? UpstreamHandshake(loop: loop) : nil
        let parts = NIOLoopBound((handshake, handler), eventLoop: loop)
        var bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(Int64(clamping: timeout)))
            .channelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 65_536)
            )
            .channelInitializer { [tls = settings.tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let handshake = parts.value.0 {
                        guard let tls else { throw UpstreamProblem.noTLS }
                        try pipeline.addHandler(try tls.makeHandler(name: server.tlsName))
                        try pipeline.addHandler(handshake)
                    }
                    try pipeline.addHandler(parts.value.1)
                }
            }
        if endpoint.address?.isUnixSocket != true {
            bootstrap = bootstrap.channelOption(.socketOption(.tcp_nodelay), value: 1)
        }
        let connected =
            endpoint.address.map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: server.host, port: server.port)
        guard let handshake else { return connected }
        return settle(handshake, connected, on: loop, within: timeout)
    }

    private func settle(
        _ handshake: UpstreamHandshake, _ connected: EventLoopFuture<any Channel>, on loop: any EventLoop,
        within timeout: UInt64
    ) -> EventLoopFuture<any Channel> {
        let bound = NIOLoopBound(handshake, eventLoop: loop)
        let late = loop.scheduleTask(in: .nanoseconds(Int64(clamping: timeout))) {
            bound.value.fail(ChannelError.connectTimeout(.nanoseconds(Int64(clamping: timeout))))
        }
        connected.whenFailure { bound.value.fail($0) }
        let done = bound.value.done
        done.whenComplete { _ in late.cancel() }
        return connected.flatMap { channel in
            done.map { channel }.flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
        }
    }
}

/// Waits for the end of the TLS handshake, keeps what happens until then from the handlers behind, and leaves.
final class UpstreamHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Void>
    private var isDone = false

    init(loop: any EventLoop) {
        promise = loop.makePromise()
    }

    /// Fails where the handshake does.
    var done: EventLoopFuture<Void> { promise.futureResult }

    func fail(_ error: any Error) {
        guard !isDone else { return }
        isDone = true
        promise.fail(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !isDone, case .some(TLSUserEvent.handshakeCompleted) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        isDone = true
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        promise.succeed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDone else { return context.fireErrorCaught(error) }
        fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // What comes to nothing is not told to those behind. After the handshake, this handler has left.
        fail(ChannelError.eof)
    }
}

extension SocketAddress {
    fileprivate var isUnixSocket: Bool {
        if case .unixDomainSocket = self { true } else { false }
    }
}

/// Why a server could not be connected to: for logs.
enum UpstreamProblem: Error {
    /// The files of TLS could not be read; no snapshot is made of those.
    case noTLS

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { text($0.error) } ?? "connect: the name has no address"
        case is ChannelError: "connect: timed out"
        case let error as IOError: "connect: errno \(error.errnoCode)"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "tls: the certificate does not bear the server's name"
        case let error as NIOSSLError: tls(String(describing: error))
        default: tls(String(describing: error))
        }
    }

    /// The library tells the kinds of failures apart by text alone.
    private static func tls(_ text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            "tls: the certificate is not trusted"
        } else if text.contains("WRONG_VERSION_NUMBER") {
            "tls: what the server answers is not TLS"
        } else if text.contains("CERTIFICATE_REQUIRED") {
            "tls: the server asks for a certificate (tls.certificate)"
        } else {
            "tls: the handshake failed"
        }
    }
}
