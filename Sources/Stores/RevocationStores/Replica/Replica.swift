import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore
import Redis
import Revocation
import Synchronization

/// Keeps a view like the records in Redis, which others write too.
///
/// Owns one connection on one loop. `ReplicaMachine` decides what is asked and what the answers mean.
///
/// A session's key may expire in Redis (TTL), with the cookie whose session it is. Nobody tells of that, and nobody need:
/// the view keeps the revocation of a cookie that no longer counts, until everything is read again.
final class Replica: Sendable {
    private let loop: any EventLoop
    private let follower: NIOLoopBoundBox<ReplicaFollower>
    private let shared: SharedReplicaStatus
    private let linkState: SharedRedisLinkStatus
    private let restorer = Restorer()

    /// Writes records back and calls the closure when that is over.
    typealias Restore = @Sendable ([LostRecord], @escaping @Sendable () -> Void) -> Void

    private final class Restorer: Sendable {
        private let value = Mutex<Restore?>(nil)

        func set(_ body: @escaping Restore) { value.withLock { $0 = body } }

        func run(_ records: [LostRecord], _ done: @escaping @Sendable () -> Void) {
            guard let body = value.withLock({ $0 }) else { return done() }
            body(records, done)
        }
    }

    /// How its connection is doing.
    var linkStatus: RedisLinkStatus { linkState.current }

    /// How it is doing.
    var status: ReplicaStatus { shared.current }

    /// Does nothing before `start`.
    ///
    /// - Parameters:
    ///   - links: told which links changed.
    ///   - loop: where it lives; it must outlive this object.
    ///   - applied: called, on the loop, whenever the view has come to hold everything up to a further entry.
    ///   - loaded: called once, on the loop, when the view holds everything for the first time.
    /// - Throws: when libcrypto can hash nothing.
    init(
        configuration: RedisConfiguration, view: StoreView, links: LinkGenerations = LinkGenerations(),
        loop: any EventLoop, clock: GatewayClock, logger: Logger,
        timing: ReplicaTiming = ReplicaTiming(), bounds: ReplicaBounds = ReplicaBounds(),
        onLoss: StoreLossPolicy = .keep,
        loaded: @escaping @Sendable () -> Void = {}, applied: @escaping @Sendable (ReplicaStreamID) -> Void = { _ in }
    ) throws(StoreError) {
        self.loop = loop
        let shared = SharedReplicaStatus()
        self.shared = shared
        var configuration = configuration
        configuration.replyLimits = .bulk
        configuration.maximumInFlight = bounds.inFlight
        let link = RedisLink(configuration, loop: loop, logger: logger, clock: clock.monotonic)
        linkState = link.sharedStatus
        let follower = ReplicaFollower(
            link: link, table: ReplicaTable(view: view, keys: try StoreKeyMaker()),
            machine: ReplicaMachine(timing: timing, bounds: bounds, seed: UInt64.random(in: 0 ... .max)),
            environment: .init(
                loop: loop, clock: clock, log: ReplicaLog(logger: logger), status: shared, links: links, onLoss: onLoss,
                restore: { [restorer] in restorer.run($0, $1) },
                loaded: loaded, applied: applied))
        self.follower = NIOLoopBoundBox.makeBoxSendingValue(follower, eventLoop: loop)
    }

    /// Begins to connect.
    func start() {
        loop.execute { self.follower.value.start() }
    }

    /// Sets how lost records are written back. Before `start`.
    func restore(_ body: @escaping Restore) {
        restorer.set(body)
    }

    /// What is lost is given up, once everything was read again.
    func accept() async -> StoreLoss {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: self.follower.value.accept()) }
        }
    }

    /// Ends the connection. From then on the view is stale.
    func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.follower.value.stop()
                continuation.resume()
            }
        }
    }
}
