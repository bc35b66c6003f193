internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 that can stop listening and listen again on the same port.
final class LoopbackServer: Sendable {
    private struct State {
        var listener: (any Channel)?
        var accepts = false
        var port = 0
        var accepted = 0
        var open: [ObjectIdentifier: any Channel] = [:]
        var interceptor: (any ResponseInterceptor)?

        /// Returns `false` if the server already accepts connections.
        mutating func startAccepting() -> Bool {
            defer { accepts = true }
            return !accepts
        }

        /// Returns the number of a new connection. `nil` if the server is stopping.
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

    /// The port. It stays the same after stopping and listening again.
    var port: Int { state.withLock { $0.port } }
    /// The number of accepted connections.
    var acceptedConnections: Int { state.withLock { $0.accepted } }

    /// The interceptor of responses, if installed.
    var interceptor: (any ResponseInterceptor)? { state.withLock { $0.interceptor } }

    /// Returns the interceptor, and installs one if necessary.
    func interceptor(
        orInstall make: @autoclosure () -> any ResponseInterceptor
    ) -> any ResponseInterceptor {
        state.withLock { state in
            let interceptor = state.interceptor ?? make()
            state.interceptor = interceptor
            return interceptor
        }
    }

    /// Starts listening, on any free port if `port` is 0. Has no effect if the server is already listening.
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

    /// Listens again on the previous port.
    func listenAgain() async throws(DevelopmentIdentityError) {
        try await listen(port: port)
    }

    /// Stops listening, so that connections are refused, and closes open connections.
    func stopListening() async {
        let channels = state.withLock { state in
            defer { state.listener = nil }
            state.accepts = false
            return (state.listener.map { [$0] } ?? []) + state.open.values
        }
        for channel in channels {
            // The only possible error is that the channel is already closing, so that its end is awaited.
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
