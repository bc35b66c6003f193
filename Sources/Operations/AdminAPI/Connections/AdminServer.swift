package import GatewayConfiguration
package import GatewayCore
package import NIOCore
import NIOHTTP1
import NIOPosix

/// The admin listener: health, metrics and the admin API. It is never reachable through the public listeners.
///
/// Each connection carries one request, with timeouts for receiving it and for the response.
package struct AdminServer: Sendable {
    /// The limits of the listener.
    package struct Limits: Sendable {
        /// The maximum number of connections. One more replaces an idle one.
        package var connections = 64
        /// The maximum number of connections per IPv4 address or IPv6 /64.
        package var connectionsPerNetwork = 32
        /// The maximum size of the request line and the fields, in bytes.
        package var headSize = 8 * 1024
        /// The maximum size of the body, in bytes.
        package var bodySize = 64 * 1024
        /// The timeout of the head.
        package var headTimeout = TimeAmount.seconds(3)
        /// The timeout from the head to the end of the body.
        package var requestTimeout = TimeAmount.seconds(10)
        /// The timeout from the complete request to the end of the response.
        package var responseTimeout = TimeAmount.seconds(30)
        /// The time without an event after which a stream sends a comment. A client that reads nothing for twice that
        /// time is disconnected.
        package var heartbeat = TimeAmount.seconds(15)

        /// Creates the default limits.
        package init() {}
    }

    /// The bound address, with the actual port if port 0 was requested.
    package let address: SocketAddress
    private let channel: any Channel
    private let open: AdminConnections

    /// Binds the address and starts serving.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - settings: The tokens, the accepted host name in addition to `localhost` and the local address, and the
    ///     console. Without a token, only health and metrics exist.
    ///   - backend: The gateway.
    ///   - signIn: The sign-in to the console at a provider. `nil` if there is none.
    ///   - clock: The clock of the console's sessions.
    ///   - group: The event loops of connections.
    ///   - limits: The limits.
    package static func start(
        address: SocketAddress, settings: Configuration.Admin, backend: any AdministrationBackend,
        signIn: (any ConsoleSignIn)? = nil, clock: GatewayClock = .system, group: any EventLoopGroup,
        limits: Limits = Limits()
    ) async throws -> AdminServer {
        let api = AdminAPI(settings, backend: backend, signIn: signIn, clock: clock)
        let open = AdminConnections(limit: limits.connections, perNetwork: limits.connectionsPerNetwork)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelInitializer { channel in
                Self.initialize(channel, api: api, open: open, limits: limits)
            }
            .bind(to: address).get()
        return AdminServer(address: channel.localAddress ?? address, channel: channel, open: open)
    }

    /// The number of connections that were closed because of the limit.
    package var closedCount: UInt64 { open.closedCount }

    /// Stops accepting connections. Current calls are completed within their timeouts.
    package func close() async {
        // It fails only if the channel is already closed.
        try? await channel.close()
    }

    /// Initializes the pipeline of a channel. Fails if the limit is reached.
    static func initialize(
        _ channel: any Channel, api: AdminAPI, open: AdminConnections, limits: Limits
    ) -> EventLoopFuture<Void> {
        guard open.enter(channel) else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        channel.closeFuture.whenComplete { _ in open.leave(channel) }
        return channel.eventLoop.makeCompletedFuture {
            var decoding = NIOHTTPDecoderLimitConfiguration()
            decoding.maxHeaderListSize = limits.headSize
            decoding.maxHeaderFieldSize = limits.headSize
            let decoder = HTTPRequestDecoder(limitConfiguration: decoding)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(AdminByteLimit(bytes: 2 * (limits.headSize + limits.bodySize)))
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(ByteToMessageHandler(decoder))
            try pipeline.addHandler(AdminConnection(api: api, limits: limits, open: open))
        }
    }
}
