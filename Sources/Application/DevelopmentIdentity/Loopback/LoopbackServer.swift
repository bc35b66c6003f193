internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// An HTTP/1.1 server on 127.0.0.1. It can stop listening and listen again on the same port.
final class LoopbackServer: Sendable {
    private struct State {
        var listener: (any Channel)?
        var accepts = false
        var port = 0
        var accepted = 0
        var open: [ObjectIdentifier: any Channel] = [:]
        var interceptor: (any ResponseInterceptor)?

        /// False where it accepts already.
        mutating func startAccepting() -> Bool {
            defer { accepts = true }
            return !accepts
        }

        /// The number of a new connection; `nil` for one that comes while the server stops.
        mutating func admit(_ channel: any Channel) -> Int? {
            guard accepts else { return nil }
            accepted += 1
            open[ObjectIdentifier(channel)] = channel
            return accepted
        }
    }

    private let state = Mutex(State())
    let service: any LoopbackService

    init(service: any LoopbackService) {
        self.service = service
    }

    /// The port; it stays the same when listening stops and starts again.
    var port: Int { state.withLock { $0.port } }
    /// How many connections were accepted so far.
    var acceptedConnections: Int { state.withLock { $0.accepted } }

    /// What replaces responses of the service, if anything does.
    var interceptor: (any ResponseInterceptor)? { state.withLock { $0.interceptor } }

    /// Returns the interceptor; installs one first where there is none.
    func interceptor(
        orInstall make: @autoclosure () -> any ResponseInterceptor
    ) -> any ResponseInterceptor {
        state.withLock { state in
            let interceptor = state.interceptor ?? make()
            state.interceptor = interceptor
            return interceptor
        }
    }

    /// Listens, on any free port if `port` is 0. Does nothing while it listens already.
    func listen(port: Int) async throws(DevelopmentIdentityError) {
        guard state.withLock({ $0.startAccepting() }) else { return }
        let listener: any Channel
        do {
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { self.accept($0) }
                .bind(host: "127.0.0.1", port: port).get()
        } catch {
            state.withLock { $0.accepts = false }
            throw DevelopmentIdentityError(.listening, "cannot listen on 127.0.0.1:\(port): \(error)")
        }
        state.withLock { state in
            state.listener = listener
            state.port = listener.localAddress?.port ?? port
        }
    }

    /// Listens again on the port of before.
    func listenAgain() async throws(DevelopmentIdentityError) {
        try await listen(port: port)
    }

    /// Stops listening, so that connecting is refused, and closes the connections that are open.
    func stopListening() async {
        let channels = state.withLock { state in
            defer { state.listener = nil }
            state.accepts = false
            return (state.listener.map { [$0] } ?? []) + state.open.values
        }
        for channel in channels {
            // The only error is that it is being closed already; then its end is still to come.
            try? await channel.close().get()
            try? await channel.closeFuture.get()
        }
    }

    private func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let connection = state.withLock({ $0.admit(channel) }) else {
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.open[ObjectIdentifier(channel)] = nil }
        }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
                ConnectionHandler(server: self, connection: connection),
            ])
        }
    }
}
