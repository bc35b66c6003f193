package import NIOCore
import NIOHTTP1
import NIOPosix

/// The admin listener: health, metrics and the admin API, never reachable through the public listeners.
///
/// Each connection carries one request; all of it must come, and be answered, within fixed times.
package struct AdminServer: Sendable {
    /// The bounds of the listener.
    package struct Limits: Sendable {
        /// Open connections. One more closes an idle one.
        package var connections = 64
        /// Open connections of one IPv4 address or IPv6 /64.
        package var connectionsPerNetwork = 32
        /// Bytes of the request line and the fields.
        package var headSize = 8 * 1024
        /// Bytes of the body.
        package var bodySize = 64 * 1024
        /// Until the head has come.
        package var headTimeout = TimeAmount.seconds(3)
        /// From the head to the end of the body.
        package var requestTimeout = TimeAmount.seconds(10)
        /// From the whole request to the end of its answer.
        package var answerTimeout = TimeAmount.seconds(30)

        /// The defaults.
        package init() {}
    }

    /// Where it listens; with the port that was taken when 0 was asked for.
    package let address: SocketAddress
    private let channel: any Channel
    private let open: AdminConnections

    /// Binds and begins to answer.
    ///
    /// - Parameters:
    ///   - address: Where to listen.
    ///   - token: The bearer token of everything but health and metrics; nil or empty, and the rest does not exist.
    ///   - hosts: Names by which clients may call, besides `localhost` and the address that they reach.
    ///   - backend: The gateway.
    ///   - group: The event loops of connections.
    ///   - limits: The bounds.
    package static func start(
        address: SocketAddress, token: String?, hosts: [String] = [], backend: any AdministrationBackend,
        group: any EventLoopGroup, limits: Limits = Limits()
    ) async throws -> AdminServer {
        let api = AdminAPI(entrance: AdminGuard(token: token, hosts: hosts), backend: backend)
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

    /// Connections that were closed for want of room.
    package var closedCount: UInt64 { open.closedCount }

    /// Stops to accept. Calls that run are answered, within their time.
    package func close() async {
        // It fails only when it is closed already.
        try? await channel.close()
    }

    /// Makes a connection of a channel; fails if there is no room.
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
