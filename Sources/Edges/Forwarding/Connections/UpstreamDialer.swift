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
        let install: Install = { try $0.addHandler(handler) }
        let handshake = settings.servers[endpoint.server].isSecure ? UpstreamHandshake(loop: loop) : nil
        let connected = connect(endpoint, on: loop, timeout: timeout, handshake: handshake, install)
        guard let handshake else { return connected }
        return resolve(handshake, connected, on: loop, within: timeout)
    }

    /// Opens an HTTP/2 connection that is ready for streams. Call it on `loop`.
    ///
    /// - Parameters:
    ///   - timeout: The total timeout, in nanoseconds.
    ///   - connection: The handler of the connection.
    func dial(
        _ endpoint: UpstreamEndpoint, on loop: any EventLoop, timeout: UInt64, sharing connection: SharedConnection
    ) -> EventLoopFuture<any Channel> {
        let bound = NIOLoopBound(connection, eventLoop: loop)
        let install: Install = { try bound.value.install(in: $0) }
        // HTTP/2 begins after the negotiation, so that a server without it receives none of its bytes.
        let handshake = settings.servers[endpoint.server].isSecure ? UpstreamHandshake(loop: loop, install) : nil
        let dialed = connect(
            endpoint, on: loop, timeout: timeout, handshake: handshake, handshake == nil ? install : { _ in })
        let secured = handshake.map { resolve($0, dialed, on: loop, within: timeout) } ?? dialed
        let late = loop.scheduleTask(in: .nanoseconds(Int64(clamping: timeout))) {
            bound.value.abandon(ChannelError.connectTimeout(.nanoseconds(Int64(clamping: timeout))))
        }
        secured.whenFailure { bound.value.abandon($0) }
        let ready = connection.whenReady
        ready.whenComplete { _ in late.cancel() }
        return secured.flatMap { channel in
            ready.map { channel }.flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
        }
    }

    /// The installation of the handlers of a connection.
    typealias Install = (ChannelPipeline.SynchronousOperations) throws -> Void

    private func connect(
        _ endpoint: UpstreamEndpoint, on loop: any EventLoop, timeout: UInt64, handshake: UpstreamHandshake?,
        _ install: @escaping Install
    ) -> EventLoopFuture<any Channel> {
        let server = settings.servers[endpoint.server]
        let parts = NIOLoopBound((handshake, install), eventLoop: loop)
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
                    try parts.value.1(pipeline)
                }
            }
        if endpoint.address?.isUnixSocket != true {
            bootstrap = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
        }
        return endpoint.address.map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: server.host, port: server.port)
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
    /// Installs HTTP/2 after its negotiation. `nil` with HTTP/1.1.
    private let installHTTP2: UpstreamDialer.Install?

    init(loop: any EventLoop, _ installHTTP2: UpstreamDialer.Install? = nil) {
        promise = loop.makePromise()
        self.installHTTP2 = installHTTP2
    }

    /// Fails if the handshake fails.
    var done: EventLoopFuture<Void> { promise.futureResult }

    func fail(_ error: any Error) {
        guard !isDone else { return }
        isDone = true
        promise.fail(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard !isDone, case .some(TLSUserEvent.handshakeCompleted(let negotiated)) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        do {
            if let installHTTP2 {
                guard negotiated == "h2" else { throw UpstreamProblem.noHTTP2 }
                try installHTTP2(context.pipeline.syncOperations)
            }
        } catch {
            fail(error)
            return context.close(promise: nil)
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
    /// The server did not choose HTTP/2 by ALPN.
    case noHTTP2

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { text($0.error) } ?? "connect: the name has no address"
        case UpstreamProblem.noHTTP2: "http2: the server does not offer h2 by ALPN"
        case StreamProblem.connection(let reason): "http2: \(reason)"
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
