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

/// One open listener of all workers. It can be opened and closed while the gateway runs, and be given other ``ListenerSettings``.
///
/// At a TCP address each worker has a socket of its own, between which the kernel shares connections (SO_REUSEPORT). A `unix:` address has
/// one, whose connections are dealt out to the workers.
package final class Listener: Sendable {
    /// Where clients connect, with the port that was taken where 0 was asked for.
    package let address: SocketAddress
    /// The same, as configured.
    package let wanted: ListenAddress
    /// Whether the certificates' files have changed.
    let watch = Mutex(CertificateWatch())
    private let current: Mutex<ListenerSettings>
    private let channels: [any Channel]
    private let places: [Place]
    /// The file of a `unix:` address, to be removed.
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

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - lanes: of every worker.
    ///   - group: the workers' loops.
    ///   - control: a loop for what is not a connection.
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
                // Port 0 is settled by the first; the others join it.
                address = channel.localAddress ?? address
            }
        } catch {
            for channel in channels { try? await channel.close() }
            throw error
        }
        return Listener(wanted, address: address, settings, channels: channels, places: places)
    }

    /// What new connections are served with.
    package var settings: ListenerSettings { current.withLock { $0 } }

    /// Serves new connections with other settings, from the moment each loop gets to know of it; those that are open keep theirs.
    package func install(_ settings: ListenerSettings) {
        current.withLock { current in
            current = settings
            post(settings)
        }
    }

    /// The same, where it is still `old` that is served with.
    func replace(_ old: ListenerSettings, with settings: ListenerSettings) -> Bool {
        current.withLock { current in
            guard current === old else { return false }
            current = settings
            post(settings)
            return true
        }
    }

    /// Within the lock, so that all loops get settings in one order.
    private func post(_ settings: ListenerSettings) {
        for place in places {
            place.lane.loop.execute { place.slot.value.install(settings) }
        }
    }

    /// Takes no more connections; those that are open stay.
    package func close() async {
        socket?.remove()
        for channel in channels { try? await channel.close() }
    }

    private static func places(_ lanes: [ListenerLane], _ settings: ListenerSettings) async throws -> [Place] {
        var places: [Place] = []
        for lane in lanes {
            let slot = try await lane.loop.submit {
                NIOLoopBound(ListenerSlot(settings, of: lane.context.value, lane.counters.value), eventLoop: lane.loop)
            }.get()
            places.append(Place(lane: lane, slot: slot))
        }
        return places
    }

    // MARK: - TCP

    /// Fails when somebody listens there already: SO_REUSEPORT alone would share the port with them.
    private static func checkFree(_ address: SocketAddress, on loop: any EventLoop) async throws {
        guard address.port != 0 else { return }
        let probe = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(to: address).get()
        try await probe.close()
    }

    private static let reusePort = ChannelOptions.Types.SocketOption(
        level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT)))

    /// One socket of one worker, on its loop.
    static func bind(
        to address: SocketAddress, _ lane: ListenerLane, _ settings: ListenerSettings, budget: ConnectionBudget
    ) -> EventLoopFuture<any Channel> {
        let slot = NIOLoopBound(
            ListenerSlot(settings, of: lane.context.value, lane.counters.value), eventLoop: lane.loop)
        return bind(Place(lane: lane, slot: slot), to: address, budget: budget)
    }

    private static func bind(
        _ place: Place, to address: SocketAddress, budget: ConnectionBudget
    ) -> EventLoopFuture<any Channel> {
        let loop = place.lane.loop
        return bootstrap(ServerBootstrap(group: loop, childGroup: loop))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(reusePort, value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, at: place, budget: budget) }
            }
            .bind(to: address)
    }

    /// How many connections the kernel makes before they are taken.
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
        try await UnixSocketFile.makeWay(at: path, on: control)
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
        let holder = ConnectionHolder(channel: channel, budget: budget, counters: counters, proxies: settings.proxies)
        // Where a PROXY header names the client, the seat is moved to that address then.
        guard holder.takeSeat(for: peer) else { throw ConnectionLimitReached() }
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
        let handler = ClientHandler(front: place.lane.context.value, peer: peer, opening: slot.opening)
        handler.listener = slot
        handler.holder = holder
        try pipeline.addHandler(handler)
    }

    private struct ConnectionLimitReached: Error {}
    private struct PeerNotTrusted: Error {}
}

extension PeerAddress {
    /// A peer's address, as its socket tells.
    fileprivate convenience init(peer channel: any Channel, isSecure: Bool) {
        // Peers in the file system have no name of their own.
        if case .unixDomainSocket? = channel.localAddress {
            self.init(channel.localAddress, isSecure: isSecure)
        } else {
            self.init(channel.remoteAddress, isSecure: isSecure)
        }
    }
}
