import Accounts
import Authentication
import Forwarding
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

    /// - Parameter make: makes what a loop keeps, on the loop; by its index.
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

    /// Does something on each loop, some time later.
    func execute(_ body: @escaping @Sendable (WorkerLoop) -> Void) {
        for loop in all { loop.execute(body) }
    }

    /// The results of something that is done on one loop after the other.
    func onEach<Result: Sendable>(
        _ body: @escaping @Sendable (WorkerLoop) throws -> Result
    ) async throws -> [Result] {
        var results: [Result] = []
        for loop in all { results.append(try await loop.onLoop(body)) }
        return results
    }

    /// Makes a worker of a configuration on each loop, then puts all of them in place: from then on they begin requests.
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

    /// Hands every state of key sets, of now and later, to the workers that verify with them.
    func subscribe(to keys: KeyCoordinator) {
        keys.subscribe { [weak self, weak keys] set, view in
            guard let keys else { return }
            self?.execute { $0.install(view, set: set, of: keys) }
        }
    }

    /// Hands over the keys of now, for workers that share none with those before.
    func handOverKeys(of sources: IdentitySources) {
        let keys = sources.keys
        let views = keys.sources.indices.map { keys.view(of: $0) }
        let session = sources.sessions?.keys
        execute { loop in
            for (set, view) in views.enumerated() { loop.install(view, set: set, of: keys) }
            if let session { loop.install(session, of: keys) }
        }
    }

    /// What listeners need of each loop.
    func lanes() async throws -> [ListenerLane] {
        try await onEach { loop in
            ListenerLane(
                context: NIOLoopBound(loop.front, eventLoop: loop.loop),
                counters: NIOLoopBound(loop.counters, eventLoop: loop.loop))
        }
    }

    // MARK: - Stop

    /// Takes no more requests after those that are served, and waits for these.
    ///
    /// - Returns: whether all connections were closed in time.
    func drain(within limit: Duration) async -> Bool {
        _ = try? await onEach { $0.drain() }
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            let connections = (try? await onEach { $0.front.registry.count }) ?? []
            if connections.allSatisfy({ $0 == 0 }) { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Cuts off what is still served.
    ///
    /// - Returns: the lines of the access log that were not handed over yet.
    func stop() async -> [LogBatch] {
        _ = try? await onEach { $0.stop() }
        return ((try? await onEach { $0.accessLog?.takeBatch() }) ?? []).compactMap(\.self)
    }

    func shutdown() async {
        try? await group.shutdownGracefully()
    }
}
