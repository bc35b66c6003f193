import GatewayCore
import Logging
import NIOCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import HTTPServer
@testable import StoreFixtures
@testable import SystemFixtures

/// The end of HTTP/2 connections when the gateway stops.
@Suite struct HTTP2DrainTests {
    /// Responds to no request.
    private final class SilentHandler: RequestHandler, RequestHandlerSource, Sendable {
        func makeHandler() -> any RequestHandler { self }
        var additions: ResponseFieldPolicy? { nil }
        func began(_ client: ClientHandler) {}
        func handle(_ request: RequestView, from client: ClientHandler) {}
        func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? { nil }
        func watchExchange(of client: ClientHandler) -> OpenStream? { nil }
        func refusal(of stream: OpenStream) -> DecisionCode? { nil }
        func abandoned(_ client: ClientHandler) {}
        func finished(_ client: ClientHandler) {}
    }

    private static let request = FramePeer.block([
        (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"),
    ])

    /// Only the event loop delivers the awaited frames, so the test may block for them.
    @Test(.timeLimit(.minutes(3)))
    func `M-53: a drain ends in time and closes the connection of a client that neither responds nor closes`()
        async throws
    {
        let (clock, handler) = (ManualClock(), SilentHandler())
        let workers = WorkerLoops(count: 1) { loop, _ in
            let made = WorkerLoop(
                loop: loop, limits: ConnectionLimits(), counters: WorkerCounters(routes: 1, upstreams: 1),
                store: StoreAccess(reader: StoreView().reader(), redis: nil), clock: clock.clock, logger: .silent,
                accessLog: nil)
            made.connectionContext.handlers = handler
            return made
        }
        try await workers.start()
        let (lane, address) = (try await workers.lanes()[0], try SocketAddress(ipAddress: "127.0.0.1", port: 0))
        let listener = try await lane.loop.flatSubmit {
            Listener.bind(
                to: address, lane, ListenerSettings(sniffsHTTP2: true),
                budget: ConnectionBudget(limit: 10, perAddress: 10))
        }.get()
        let client = try FramePeer(connecting: LoopbackSocket(connectingTo: listener.localAddress?.port ?? 0))
        try client.send(FramePeer.Kind.headers, flags: 5, stream: 1, Self.request)
        try client.untilSettled()

        let drained = Task { await workers.drain(within: .seconds(30), clock: clock.clock) }
        while try await !workers.onEach({ $0.connectionContext.isDraining }).allSatisfy(\.self) { await Task.yield() }
        #expect(try client.next().payload == [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        clock.advance(seconds: 29)
        #expect(try client.next().payload == [0, 0, 0, 1, 0, 0, 0, 0])
        #expect(try await workers.onEach { $0.connectionContext.connectionCount } == [1])
        clock.advance(seconds: 2)
        #expect(await drained.value == false)
        _ = await workers.stop()
        _ = try client.socket.readToEnd()
        await workers.shutdown()
        withExtendedLifetime(handler) {}
    }
}
