import Atomics
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Opens listening sockets: one for each worker at each address, between which the kernel shares connections (SO_REUSEPORT).
enum Listener {
    /// How many client connections the process has, and may have.
    final class Budget: Sendable {
        private let open = ManagedAtomic(0)
        let limit: Int

        init(limit: Int) {
            self.limit = limit
        }

        /// Takes a place, if there is one.
        func take() -> Bool {
            guard open.wrappingIncrementThenLoad(ordering: .relaxed) <= limit else {
                open.wrappingDecrement(ordering: .relaxed)
                return false
            }
            return true
        }

        func giveBack() {
            open.wrappingDecrement(ordering: .relaxed)
        }
    }

    /// Fails when somebody listens there already: SO_REUSEPORT alone would share the port with them.
    static func checkFree(_ address: SocketAddress, on loop: any EventLoop) async throws {
        guard address.port != 0 else { return }
        let probe = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(to: address).get()
        try await probe.close()
    }

    private static let reusePort = ChannelOptions.Types.SocketOption(
        level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT)))

    static func bind(
        to address: SocketAddress, on loop: any EventLoop, front: NIOLoopBound<ServerFront>,
        counters: NIOLoopBound<WorkerCounters>, budget: Budget
    ) -> EventLoopFuture<any Channel> {
        ServerBootstrap(group: loop, childGroup: loop)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(reusePort, value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 65_536)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try accept(channel, front: front.value, counters: counters.value, budget: budget)
                }
            }
            .bind(to: address)
    }

    private static func accept(
        _ channel: any Channel, front: ServerFront, counters: WorkerCounters, budget: Budget
    ) throws {
        guard budget.take() else {
            counters.add(to: .connectionsRefused)
            throw ConnectionLimitReached()
        }
        counters.add(to: .connectionsAccepted)
        channel.closeFuture.whenComplete { _ in budget.giveBack() }
        let handler = ClientHandler(front: front, peer: PeerAddress(channel.remoteAddress))
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    private struct ConnectionLimitReached: Error {}
}
