import Authentication
import Dispatch
import Foundation
import Forwarding
import GatewayConfiguration
import GatewayCore
import JOSE
import NIOCore
import NIOPosix
import Redis
import Revocation
import Synchronization
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// A worker with a real listener on loopback. The test advances its clock and ticks, and plays the upstream.
final class RequestPathRig {
    let clock = ManualClock()
    let upstream: LoopbackListener
    let view = StoreView()
    let keyRequests: KeyRequests
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let home: NIOLoopBound<WorkerLoop>
    private let listener: any Channel

    /// The number of requests for a key set.
    final class KeyRequests: Sendable {
        private let seen = Mutex(0)

        var count: Int { seen.withLock { $0 } }
        func record() { seen.withLock { $0 += 1 } }
    }

    /// Routes: `/private/**` needs a credential, all other paths do not. The store is loaded, and the keys are not.
    ///
    /// - Parameters:
    ///   - redis: The store that the worker queries when it is connected.
    ///   - log: Receives the lines of the log.
    ///   - decides: Whether the listener is the one for decisions, which trusts all peers on loopback.
    ///   - sign: Signs assertions instead of the key.
    init(
        redis: RedisConfiguration? = nil, lookups: RemoteLookups = RemoteLookups(), log: LogLines = LogLines(),
        decides: Bool = false, _ adjust: (inout Configuration) -> Void = { _ in }, sign: AssertionSigner.Sign? = nil
    ) throws {
        upstream = try LoopbackListener()
        var configuration = Self.configuration(upstream: upstream.port)
        if decides { configuration.decisions = Self.decisions }
        adjust(&configuration)
        let places = MetricIndices(configuration)
        let snapshot = try Snapshot(
            configuration, places: places, counting: RuleCounting(configuration, at: 0), sign: sign)
        let loop = group.next()
        let (connections, perAddress) = (configuration.limits.connections, configuration.limits.connectionsPerAddress)
        let (clock, view, requests) = (clock.clock, view, KeyRequests())
        keyRequests = requests
        view.setAlwaysFresh()
        home = try loop.submit {
            let home = WorkerLoop(
                loop: loop, limits: snapshot.limits, counters: WorkerCounters(places),
                store: StoreAccess(reader: view.reader(), redis: redis), clock: clock, logger: log.logger,
                accessLog: nil)
            home.index = 0
            let worker = Worker(snapshot, on: home, lookups: lookups, requestKeys: { _ in requests.record() })
            guard let worker else { throw LoopbackSocket.Problem.system("libcrypto", 0) }
            home.install(worker)
            if redis != nil { home.start() }
            return NIOLoopBound(home, eventLoop: loop)
        }.wait()
        let (bound, address) = (home, try SocketAddress(ipAddress: "127.0.0.1", port: 0))
        listener = try loop.flatSubmit {
            let lane = ListenerLane(
                context: NIOLoopBound(bound.value.connectionContext, eventLoop: loop),
                counters: NIOLoopBound(bound.value.counters, eventLoop: loop),
                handlers: decides ? NIOLoopBound(DecisionHandlers(bound.value), eventLoop: loop) : nil)
            return Listener.bind(
                to: address, lane, snapshot.listeners[0],
                budget: ConnectionBudget(limit: connections, perAddress: perAddress))
        }.wait()
    }

    deinit {
        try? onLoop { $0.stop() }
        try? group.syncShutdownGracefully()
    }

    private static func configuration(upstream port: Int) -> Configuration {
        var configuration = Configuration()
        configuration.identity.firebase = Configuration.Firebase(project: TokenDraft.project)
        configuration.upstreams = [
            Configuration.Upstream(
                name: "api", servers: [Configuration.UpstreamServer(host: "127.0.0.1", port: port)])
        ]
        let place = SourceLocation(origin: "test")
        var open = Configuration.Route(path: "/**", upstream: "api", location: place)
        open.auth = .none
        configuration.routes = [open, Configuration.Route(path: "/private/**", upstream: "api", location: place)]
        return configuration
    }

    private static var decisions: Configuration.Decisions {
        let listener = Configuration.Listener(address: ListenAddress(host: "127.0.0.1", port: 0))
        var decisions = Configuration.Decisions(listener: listener, location: SourceLocation(origin: "test"))
        decisions.trust.networks = ["127.0.0.0/8"]
        return decisions
    }

    // MARK: - Time and the worker

    func onWorker<Answer: Sendable>(_ body: @escaping @Sendable (Worker) throws -> Answer) throws -> Answer {
        let home = home
        return try home.eventLoop.submit {
            guard let worker = home.value.current else { throw LoopbackSocket.Problem.system("worker", 0) }
            return try body(worker)
        }.wait()
    }

    /// Runs a function on the event loop of the worker.
    func onLoop<Answer: Sendable>(_ body: @escaping @Sendable (WorkerLoop) throws -> Answer) throws -> Answer {
        let home = home
        return try home.eventLoop.submit { try body(home.value) }.wait()
    }

    /// Delivers one batch of events in a fixed order: bytes of the only client, then a response of the server that
    /// receives the request. In a real batch the kernel chooses the order.
    ///
    /// - Parameters:
    ///   - answer: The bytes of the server. `nil` for the end of its connection.
    ///   - before: Runs while the worker is blocked. The worker processes the effects after the batch.
    func batch(_ request: String, answer: String?, before: () throws -> Void = {}) throws {
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let home = home
        let handled = home.eventLoop.submit {
            isHeld.signal()
            mayGoOn.wait()
            let client = home.value.connectionContext.registry.elements[0]
            let pipeline = client.context?.pipeline.syncOperations
            pipeline?.fireChannelRead(NIOAny(ByteBuffer(string: request)))
            pipeline?.fireChannelReadComplete()
            let server = (client.responder as? UpstreamConnection)?.context?.pipeline.syncOperations
            guard let server else { throw LoopbackSocket.Problem.system("no server has the request", 0) }
            if let answer {
                server.fireChannelRead(NIOAny(ByteBuffer(string: answer)))
                server.fireChannelReadComplete()
            } else {
                server.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
        isHeld.wait()
        defer { mayGoOn.signal() }
        try before()
        mayGoOn.signal()
        try handled.wait()
    }

    /// Delivers everything that `body` sends as one batch of events.
    func atOnce(_ body: () throws -> Void) throws {
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let held = home.eventLoop.submit {
            isHeld.signal()
            mayGoOn.wait()
        }
        isHeld.wait()
        defer {
            mayGoOn.signal()
            try? held.wait()
        }
        try body()
    }

    func tick() throws {
        try onLoop { $0.tick() }
    }

    /// Advances the clock and runs a tick of the worker.
    func pass(seconds: Double) throws {
        // Waits until the worker has processed the earlier events.
        try onWorker { _ in }
        clock.advance(seconds: seconds)
        try tick()
    }

    /// Waits until the worker has reached a state.
    func until(_ condition: @escaping @Sendable (Worker) -> Bool) throws {
        let end = ContinuousClock.now + .hangLimit
        var pause: UInt32 = 20
        while try !onWorker(condition) {
            // The event loop needs the time of this thread.
            usleep(pause)
            pause = min(pause * 2, 1000)
            guard ContinuousClock.now < end else { throw LoopbackSocket.Problem.timeout(received: "no such state") }
        }
    }

    /// Installs the development keys.
    func installKeys(_ keys: KeySet = TokenDraft.keys, generation: UInt64 = 1) throws {
        let view = KeySetView(
            keys: keys, generation: generation, isLoaded: true, lastFetchSucceeded: true, completedFetches: generation,
            usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        try onWorker { worker in
            for set in 0..<worker.snapshot.keySources.count { worker.install(view, set: set) }
        }
    }

    // MARK: - Connections

    func connect(receiveBuffer: Int32? = nil, from source: UInt8? = nil) throws -> LoopbackSocket {
        try LoopbackSocket(
            connectingTo: listener.localAddress?.port ?? 0, receiveBuffer: receiveBuffer, from: source)
    }

    /// A client whose kernel buffers are as small as possible in both directions.
    func connectWithSmallBuffers() throws -> LoopbackSocket {
        let client = try connect(receiveBuffer: 2048)
        try until { $0.connectionContext.registry.count == 1 }
        try onWorker { worker in
            let channel = worker.connectionContext.registry.elements[0].context?.channel
            try channel?.syncOptions?.setOption(.socketOption(.so_sndbuf), value: 2048)
        }
        return client
    }

    /// The number of bytes to the first client that the gateway buffers.
    func bufferedBytes() throws -> Int {
        try onWorker { worker in
            let channel = worker.connectionContext.registry.elements.first?.context?.channel
            return try channel?.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
        }
    }

    /// Creates a client that has sent a request.
    func send(
        _ request: String = .getRequest, receiveBuffer: Int32? = nil, from source: UInt8? = nil
    ) throws -> LoopbackSocket {
        let client = try connect(receiveBuffer: receiveBuffer, from: source)
        try client.send(request)
        return client
    }

    /// Creates a client that has sent a request, and the upstream connection that received the head.
    func exchange(
        _ request: String = .getRequest, receiveBuffer: Int32? = nil
    ) throws -> (client: LoopbackSocket, server: LoopbackSocket) {
        let client = try send(request, receiveBuffer: receiveBuffer)
        let server = try upstream.accept()
        _ = try server.readHead()
        return (client, server)
    }

    /// A client that has received a response, and the upstream connection that sent it. Both are idle.
    func warm() throws -> (client: LoopbackSocket, server: LoopbackSocket) {
        let (client, server) = try exchange("GET /warm HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.send(.okResponse)
        _ = try client.readMessage()
        return (client, server)
    }

    /// The number of open and idle connections to the upstream, and of waiting requests.
    func pool() throws -> [Int] {
        try onWorker { [$0.pools[0].openCount, $0.pools[0].idleCount, $0.pools[0].waitingCount] }
    }

    /// Waits until the pool has reached a state.
    func untilPool(open: Int, idle: Int, waiting: Int) throws {
        try until {
            $0.pools[0].openCount == open && $0.pools[0].idleCount == idle && $0.pools[0].waitingCount == waiting
        }
    }
}

extension String {
    static let getRequest = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
}

extension LoopbackSocket {
    /// Reads the head of a request and sends a response.
    func respond(_ response: String = .okResponse) throws {
        _ = try readHead()
        try send(response)
    }

    /// Expects a problem response of the gateway, and returns it.
    @discardableResult
    func expectProblem(
        _ status: Int, _ code: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws -> WireMessage {
        let response = try readMessage()
        #expect(response.status == status, sourceLocation: sourceLocation)
        #expect(response.body.contains(code), sourceLocation: sourceLocation)
        return response
    }
}

extension CountersSnapshot {
    /// The number of requests that ended with a code, on all routes and without a route.
    func requests(_ code: DecisionCode) -> UInt64 {
        (-1..<routes).reduce(0) { $0 + requests(route: $1, code: code) }
    }
}
