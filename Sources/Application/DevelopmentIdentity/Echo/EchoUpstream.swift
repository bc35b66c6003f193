/// A server that responds with the received request as JSON. It replaces the service behind a gateway in the demo and
/// in tests, and listens on 127.0.0.1 only.
///
/// A path that ends in `/ws` is a WebSocket that echoes each message (`protocol=NAME` selects a sub-protocol). A path
/// that ends in `/events` is an event stream of `count=N` events, `every=MS`. All members may be used from any thread.
public final class EchoUpstream: Sendable {
    private let service: EchoService
    private let server: LoopbackServer

    private init(service: EchoService) {
        self.service = service
        server = LoopbackServer(service: service)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any free one.
    ///   - keeping: The number of recent requests to keep.
    /// - Throws: `listening` if the port is in use.
    public static func start(
        port: Int = 0, keeping: Int = 1024
    ) async throws(DevelopmentIdentityError) -> EchoUpstream {
        let echo = EchoUpstream(service: EchoService(keeping: max(1, keeping)))
        try await echo.server.listen(port: port)
        return echo
    }

    /// Stops permanently: closes the listener and all connections.
    public func stop() async { await server.stopListening() }

    /// Stops listening, so that connections are refused, and closes open connections. The port is kept for
    /// `resumeListening`.
    public func stopListening() async { await server.stopListening() }

    /// Listens again on the same port.
    ///
    /// - Throws: `listening` if another process uses the port.
    public func resumeListening() async throws(DevelopmentIdentityError) { try await server.listenAgain() }

    /// The current or last port.
    public var port: Int { server.port }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// The recent requests, oldest first, including incomplete ones.
    public var received: [ReceivedRequest] { service.log.latest }

    /// The number of received requests, including incomplete ones.
    public var requestCount: Int { service.log.count() }

    /// The number of accepted connections.
    public var connectionCount: Int { server.acceptedConnections }

    /// Waits until `count` requests were received, or the task is cancelled.
    public func waitForRequests(_ count: Int) async { await service.log.wait(for: count) }

    /// Returns the interceptor of responses, and installs one if necessary.
    package func interceptor(
        orInstall make: @autoclosure () -> any ResponseInterceptor
    ) -> any ResponseInterceptor {
        server.interceptor(orInstall: make())
    }
}
