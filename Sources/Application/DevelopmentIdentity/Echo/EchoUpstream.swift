/// A server that responds with what it received, as JSON. It stands in for the service behind a gateway, in the demo and in tests, and listens
/// on 127.0.0.1 only.
///
/// A path that ends in `/ws` is a WebSocket that sends each message back (`protocol=NAME` selects a sub-protocol). One that ends in `/events` is
/// an event stream of `count=N` events, `every=MS`. All members may be used from any thread.
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
    ///   - port: the port, or 0 for any that is free.
    ///   - keeping: how many of the latest requests are kept.
    /// - Throws: `listening` where the port is taken.
    public static func start(
        port: Int = 0, keeping: Int = 1024
    ) async throws(DevelopmentIdentityError) -> EchoUpstream {
        let echo = EchoUpstream(service: EchoService(keeping: max(1, keeping)))
        try await echo.server.listen(port: port)
        return echo
    }

    /// Stops for good: closes the listener and all connections.
    public func stop() async { await server.stopListening() }

    /// Stops listening, so that connections are refused, and closes those that are open. The port is kept in mind.
    public func stopListening() async { await server.stopListening() }

    /// Listens again on the same port.
    ///
    /// - Throws: `listening` where another process took the port in the meantime.
    public func resumeListening() async throws(DevelopmentIdentityError) { try await server.listenAgain() }

    /// The port it listens on, or did.
    public var port: Int { server.port }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// The latest requests, oldest first; those that broke off are among them.
    public var received: [ReceivedRequest] { service.log.latest }

    /// How many requests it received, those that broke off included.
    public var requestCount: Int { service.log.count() }

    /// How many connections were accepted so far.
    public var connectionCount: Int { server.acceptedConnections }

    /// Returns once so many requests were received, or once the task is cancelled.
    public func waitForRequests(_ count: Int) async { await service.log.wait(for: count) }

    /// Returns the interceptor of the responses; installs one first where there is none.
    package func interceptor(
        orInstall make: @autoclosure () -> any ResponseInterceptor
    ) -> any ResponseInterceptor {
        server.interceptor(orInstall: make())
    }
}
