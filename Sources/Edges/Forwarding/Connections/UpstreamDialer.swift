import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The opening of connections to the servers of one upstream, including TLS.
struct UpstreamDialer: Sendable {
    let settings: UpstreamSettings

    /// Opens a connection that is ready for a request. Call it on `loop`.
    ///
    /// - Parameters:
    ///   - timeout: The total timeout, in nanoseconds.
    ///   - handler: The handler of received data. It receives no events of a failed attempt.
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
            bootstrap = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
        }
        let connected =
            endpoint.address.map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: server.host, port: server.port)
        guard let handshake else { return connected }
        return resolve(handshake, connected, on: loop, within: timeout)
    }

    private func resolve(
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

/// A channel handler that waits for the end of the TLS handshake, withholds events from the handlers behind it until
/// then, and removes itself.
final class UpstreamHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Void>
    private var isDone = false

    init(loop: any EventLoop) {
        promise = loop.makePromise()
    }

    /// Fails if the handshake fails.
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
        // Handlers behind receive no events of a failed attempt. After the handshake, this handler is removed.
        fail(ChannelError.eof)
    }
}

extension SocketAddress {
    fileprivate var isUnixSocket: Bool {
        if case .unixDomainSocket = self { true } else { false }
    }
}

/// The reason why a connection to a server failed, for logs.
enum UpstreamProblem: Error {
    /// The TLS files could not be read. No snapshot is created in that case.
    case noTLS

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { text($0.error) } ?? "connect: the name has no address"
        case is ChannelError: "connect: timed out"
        case let error as IOError: "connect: \(String(cString: strerror(error.errnoCode))) (errno \(error.errnoCode))"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "tls: the certificate does not contain the server's name"
        case let error as NIOSSLError: tls(String(describing: error))
        default: tls(String(describing: error))
        }
    }

    /// Returns the reason of a TLS failure. The library distinguishes the kinds only by text.
    private static func tls(_ text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            "tls: the certificate is not trusted"
        } else if text.contains("WRONG_VERSION_NUMBER") {
            "tls: the server's response is not TLS"
        } else if text.contains("CERTIFICATE_REQUIRED") {
            "tls: the server requires a client certificate; set tls.certificate"
        } else {
            "tls: the handshake failed"
        }
    }
}
