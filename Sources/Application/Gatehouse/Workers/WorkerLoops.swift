import Accounts
import Authentication
import GatewayCore
import HTTPServer
import NIOCore
import NIOPosix
import Observability
import Synchronization

/// The event loops that serve requests, each with its ``WorkerLoop``.
final class WorkerLoops: Sendable {
    let group: MultiThreadedEventLoopGroup
    let count: Int
    private let make: @Sendable (any EventLoop, Int) -> WorkerLoop
    private let loops = Mutex<[NIOLoopBound<WorkerLoop>]>([])

    /// Creates the event loops. `make` creates the state of a loop, on the loop, from its index.
    init(count: Int, make: @escaping @Sendable (any EventLoop, Int) -> WorkerLoop) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        self.count = count
        self.make = make
    }

    private var all: [NIOLoopBound<WorkerLoop>] { loops.withLock { $0 } }

    func start() async throws {
        for (index, loop) in group.makeIterator().enumerated() {
            let made = try await loop.submit { [make] in
                let made = make(loop, index)
                made.start()
                return NIOLoopBound(made, eventLoop: loop)
            }.get()
            loops.withLock { $0.append(made) }
        }
    }

    /// Schedules a call on each loop.
    func execute(_ body: @escaping @Sendable (WorkerLoop) -> Void) {
        for loop in all { loop.execute(body) }
    }

    /// Returns the results of a call on each loop, one after the other.
    func onEach<Result: Sendable>(
        _ body: @escaping @Sendable (WorkerLoop) throws -> Result
    ) async throws -> [Result] {
        var results: [Result] = []
        for loop in all { results.append(try await loop.onLoop(body)) }
        return results
    }

    /// Creates a worker on each loop, then makes all of them current.
    func install(_ next: Generation) async throws {
        let keys = next.sources.keys
        var lookups = next.sources.lookups
        lookups.accountNews = { [weak self, weak keys] status, user in
            guard let keys else { return }
            self?.execute { $0.install(status, of: user, of: keys) }
        }
        let made = try await onEach { [lookups] loop in
            let worker = Worker(
                next.snapshot, on: loop, lookups: lookups, keySource: keys, after: loop.current,
                requestKeys: { keys.requestRefresh(set: $0) })
            guard let worker else { throw GatewayStartError("libcrypto has no SHA-256; install OpenSSL 3") }
            return NIOLoopBound(worker, eventLoop: loop.loop)
        }
        for (loop, worker) in zip(all, made) { try await loop.onLoop { $0.install(worker.value) } }
    }

    /// Passes all current and later views of key sets to the workers that use them.
    func subscribe(to keys: KeyCoordinator) {
        keys.subscribe { [weak self, weak keys] set, view in
            guard let keys else { return }
            self?.execute { $0.install(view, set: set, of: keys) }
        }
    }

    /// Passes the current keys to workers that share none with earlier ones.
    func handOverKeys(of sources: IdentitySources) {
        let keys = sources.keys
        let views = keys.sources.indices.map { keys.view(of: $0) }
        let session = sources.sessions?.keys
        execute { loop in
            for (set, view) in views.enumerated() { loop.install(view, set: set, of: keys) }
            if let session { loop.install(session, of: keys) }
        }
    }

    /// Returns the resources of each loop for listeners.
    func lanes() async throws -> [ListenerLane] {
        try await onEach { loop in
            ListenerLane(
                context: NIOLoopBound(loop.connectionContext, eventLoop: loop.loop),
                counters: NIOLoopBound(loop.counters, eventLoop: loop.loop))
        }
    }

    /// Returns the resources of each loop for the listener for decisions.
    func decisionLanes() async throws -> [ListenerLane] {
        try await onEach { loop in
            ListenerLane(
                context: NIOLoopBound(loop.connectionContext, eventLoop: loop.loop),
                counters: NIOLoopBound(loop.counters, eventLoop: loop.loop),
                handlers: NIOLoopBound(DecisionHandlers(loop), eventLoop: loop.loop))
        }
    }

    // MARK: - Stop

    /// Drains: connections close after their current requests. Returns whether all connections were closed in time,
    /// before the task was cancelled.
    ///
    /// The limit applies to all connections, also of clients that send nothing and never close.
    func drain(within limit: Duration, clock: GatewayClock) async -> Bool {
        let end = clock.monotonic() &+ limit.nanoseconds
        _ = try? await onEach { $0.drain() }
        while clock.monotonic() < end {
            let connections = (try? await onEach { $0.connectionContext.connectionCount }) ?? []
            if connections.allSatisfy({ $0 == 0 }) { return true }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
        }
        return false
    }

    /// Aborts current requests and returns the remaining lines of the access log.
    func stop() async -> [LogBatch] {
        _ = try? await onEach { $0.stop() }
        return ((try? await onEach { $0.accessLog?.takeBatch() }) ?? []).compactMap(\.self)
    }

    func shutdown() async {
        try? await group.shutdownGracefully()
    }
}
