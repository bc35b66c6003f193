package import GatewayCore
package import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One open listener of all workers. It can be opened, closed, and given new ``ListenerSettings`` while the gateway
/// runs.
///
/// At a TCP address each worker has its own socket, and the kernel distributes connections (SO_REUSEPORT). A `unix:`
/// address has one socket, whose connections are distributed to the workers.
package final class Listener: Sendable {
    /// The bound address, with the actual port if port 0 was configured.
    package let address: SocketAddress
    /// The configured address.
    package let wanted: ListenAddress
    /// The detection of changed certificate files.
    let watch = Mutex(CertificateWatch())
    private let current: Mutex<ListenerSettings>
    private let channels: [any Channel]
    private let places: [Place]
    /// The file of a `unix:` address, which is removed on close.
    private let socket: UnixSocketFile?

    /// A listener on one loop.
    private struct Place: Sendable {
        let lane: ListenerLane
        let slot: NIOLoopBound<ListenerSlot>
    }

    private init(
        _ wanted: ListenAddress, address: SocketAddress, _ settings: ListenerSettings, channels: [any Channel],
        places: [Place],
        socket: UnixSocketFile? = nil
    ) {
        self.wanted = wanted
        self.address = address
        current = Mutex(settings)
        self.channels = channels
        self.places = places
        self.socket = socket
    }

    /// Opens a listener.
    ///
    /// - Parameters:
    ///   - lanes: The lanes of all workers.
    ///   - group: The workers' loops.
    ///   - control: A loop for work that is not a connection.
    package static func open(
        _ wanted: ListenAddress, lanes: [ListenerLane], group: any EventLoopGroup, control: any EventLoop,
        settings: ListenerSettings, budget: ConnectionBudget
    ) async throws -> Listener {
        let places = try await places(lanes, settings)
        if let path = wanted.path {
            let (socket, channel) = try await bind(path, places, group: group, control: control, budget: budget)
            return Listener(
                wanted, address: try SocketAddress(unixDomainSocketPath: path), settings, channels: [channel],
                places: places,
                socket: socket)
        }
        var address = try SocketAddress.makeAddressResolvingHost(wanted.host, port: wanted.port)
        try await checkFree(address, on: control)
        var channels: [any Channel] = []
        do {
            for place in places {
                let channel = try await bind(place, to: address, budget: budget).get()
                channels.append(channel)
                // The first socket determines the port for 0; the others reuse it.
                address = channel.localAddress ?? address
            }
        } catch {
            for channel in channels { try? await channel.close() }
            throw error
        }
        return Listener(wanted, address: address, settings, channels: channels, places: places)
    }

    /// The settings for new connections.
    package var settings: ListenerSettings { current.withLock { $0 } }

    /// Replaces the settings for new connections, as soon as each loop receives them. Open connections keep theirs.
    package func install(_ settings: ListenerSettings) {
        current.withLock { current in
            current = settings
            post(settings)
        }
    }

    /// Replaces the settings if `old` is still current.
    func replace(_ old: ListenerSettings, with settings: ListenerSettings) -> Bool {
        current.withLock { current in
            guard current === old else { return false }
            current = settings
            post(settings)
            return true
        }
    }

    /// Posts settings to all loops. Called within the lock, so that all loops receive settings in the same order.
    private func post(_ settings: ListenerSettings) {
        for place in places {
            place.lane.loop.execute { place.slot.value.install(settings) }
        }
    }

    /// Stops accepting connections. Open connections stay.
    package func close() async {
        socket?.remove()
        for channel in channels { try? await channel.close() }
    }

    /// Stops accepting connections, and closes the open ones after their current requests. They no longer authenticate
    /// clients by certificates.
    package func retire() async {
        for place in places { place.lane.loop.execute { place.slot.value.retire() } }
        await close()
    }

    private static func places(_ lanes: [ListenerLane], _ settings: ListenerSettings) async throws -> [Place] {
        var places: [Place] = []
        for lane in lanes {
            let slot = try await lane.loop.submit {
                NIOLoopBound(ListenerSlot(settings, on: lane), eventLoop: lane.loop)
            }.get()
            places.append(Place(lane: lane, slot: slot))
        }
        return places
    }

    // MARK: - TCP

    /// Fails if another process listens at the address. SO_REUSEPORT would otherwise share the port with it.
    ///
    /// The probe accepts no connection, which would stay open without a handler, so that a client with HTTP/2 would
    /// wait on it. The kernel resets the connections of the probe when it closes, and clients connect again.
    private static func checkFree(_ address: SocketAddress, on loop: any EventLoop) async throws {
        guard address.port != 0 else { return }
        let probe = try await ServerBootstrap(group: loop)
            .serverChannelOption(.autoRead, value: false)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(to: address).get()
        try await probe.close()
    }

    private static let reusePort = ChannelOptions.Types.SocketOption(
        level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT)))

    /// Binds one socket of one worker on its loop.
    static func bind(
        to address: SocketAddress, _ lane: ListenerLane, _ settings: ListenerSettings, budget: ConnectionBudget
    ) -> EventLoopFuture<any Channel> {
        let slot = NIOLoopBound(ListenerSlot(settings, on: lane), eventLoop: lane.loop)
        return bind(Place(lane: lane, slot: slot), to: address, budget: budget)
    }

    private static func bind(
        _ place: Place, to address: SocketAddress, budget: ConnectionBudget
    ) -> EventLoopFuture<any Channel> {
        let loop = place.lane.loop
        return bootstrap(ServerBootstrap(group: loop, childGroup: loop))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(reusePort, value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, at: place, budget: budget) }
            }
            .bind(to: address)
    }

    /// The maximum number of connections that the kernel queues before they are accepted.
    private static let backlog: Int32 = 1024

    private static func bootstrap(_ bootstrap: ServerBootstrap) -> ServerBootstrap {
        bootstrap
            .serverChannelOption(.backlog, value: backlog)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 65_536))
    }

    // MARK: - Sockets in the file system

    private static func bind(
        _ path: String, _ places: [Place], group: any EventLoopGroup, control: any EventLoop,
        budget: ConnectionBudget
    ) async throws -> (UnixSocketFile, any Channel) {
        try await UnixSocketFile.removeStaleSocket(at: path, on: control)
        let placeOfLoop = Dictionary(
            places.map { (ObjectIdentifier($0.lane.loop), $0) }, uniquingKeysWith: { first, _ in first })
        let bootstrap = bootstrap(ServerBootstrap(group: control, childGroup: group))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let place = placeOfLoop[ObjectIdentifier(channel.eventLoop)] else { throw NoSuchLoop() }
                    try accept(channel, at: place, budget: budget)
                }
            }
        return try await UnixSocketFile.listen(at: path, bootstrap, backlog: backlog)
    }

    private struct NoSuchLoop: Error {}

    // MARK: - Connections

    private static func accept(_ channel: any Channel, at place: Place, budget: ConnectionBudget) throws {
        let slot = place.slot.value
        let counters = place.lane.counters.value
        let settings = slot.settings
        let peer = PeerAddress(peer: channel, isSecure: settings.tls != nil)
        let isStranger = settings.admission.map { !$0.trusted.trusts(peer) } ?? false
        guard !isStranger || settings.admission?.admitsStrangers == true else {
            counters.add(to: .connectionsRefused)
            throw PeerNotTrusted()
        }
        let budget = isStranger ? budget.strangers ?? budget : budget
        let holder = ConnectionLeaseHolder(
            channel: channel, budget: budget, counters: counters, proxies: settings.proxies)
        // A PROXY header later moves the seat to the client's address.
        guard holder.acquireLease(for: peer) else { throw ConnectionLimitReached() }
        counters.add(to: .connectionsAccepted)
        let pipeline = channel.pipeline.syncOperations
        if settings.takesProxyHeader {
            guard settings.proxies.isEmpty || settings.proxies.trusts(peer) else {
                slot.opening?.headerFailed()
                throw PeerNotTrusted()
            }
            try pipeline.addHandler(ProxyHeaderHandler(slot.opening))
        }
        if let tls = settings.tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.context)) }
        let handler = ClientHandler(connectionContext: place.lane.context.value, peer: peer, opening: slot.opening)
        handler.listener = slot
        handler.accepted = settings
        handler.holder = holder
        if settings.sniffsHTTP2 { try pipeline.addHandler(PrefaceSniffer(handler)) }
        try pipeline.addHandler(handler)
    }

    private struct ConnectionLimitReached: Error {}
    private struct PeerNotTrusted: Error {}
}

extension PeerAddress {
    /// Creates the address of a socket's peer.
    fileprivate convenience init(peer channel: any Channel, isSecure: Bool) {
        // Peers of a Unix socket have no address.
        if case .unixDomainSocket? = channel.localAddress {
            self.init(channel.localAddress, isSecure: isSecure)
        } else {
            self.init(channel.remoteAddress, isSecure: isSecure)
        }
    }
}
