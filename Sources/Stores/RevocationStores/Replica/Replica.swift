import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore
import Redis
import Revocation
import Synchronization

/// A replica that keeps a view equal to the records in Redis, which other programs also write.
///
/// It owns one connection on one event loop. `ReplicaMachine` chooses the commands and interprets the replies.
///
/// The key of a session can expire in Redis together with the session's cookie. No entry reports that, and none is
/// needed: the view keeps the revocation of an expired cookie until everything is read again.
final class Replica: Sendable {
    private let loop: any EventLoop
    private let follower: NIOLoopBoundBox<ReplicaFollower>
    private let shared: SharedReplicaStatus
    private let linkState: SharedRedisLinkStatus
    private let restorer = Restorer()

    /// Writes records back, then calls the closure.
    typealias Restore = @Sendable ([LostRecord], @escaping @Sendable () -> Void) -> Void

    private final class Restorer: Sendable {
        private let value = Mutex<Restore?>(nil)

        func set(_ body: @escaping Restore) { value.withLock { $0 = body } }

        func run(_ records: [LostRecord], _ done: @escaping @Sendable () -> Void) {
            guard let body = value.withLock({ $0 }) else { return done() }
            body(records, done)
        }
    }

    /// The status of the connection.
    var linkStatus: RedisLinkStatus { linkState.current }

    /// The status of the replica.
    var status: ReplicaStatus { shared.current }

    /// Creates a replica. It does nothing before `start`.
    ///
    /// - Parameters:
    ///   - links: The link generations to update.
    ///   - loop: The event loop, which must outlive this object.
    ///   - applied: Called on the event loop when the view contains everything up to a new entry, and with `nil` when
    ///     the connection is lost.
    ///   - loaded: Called once on the event loop, when the view first contains everything.
    /// - Throws: `.internalFailure` if libcrypto cannot hash.
    init(
        configuration: RedisConfiguration, view: StoreView, links: LinkGenerations = LinkGenerations(),
        loop: any EventLoop, clock: GatewayClock, logger: Logger,
        timing: ReplicaTiming = ReplicaTiming(), bounds: ReplicaBounds = ReplicaBounds(),
        onLoss: StoreLossPolicy = .keep,
        loaded: @escaping @Sendable () -> Void = {}, applied: @escaping @Sendable (ReplicaStreamID?) -> Void = { _ in }
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
            machine: ReplicaMachine(
                timing: timing, bounds: bounds, isOfCluster: configuration.keyspace != nil,
                seed: UInt64.random(in: 0 ... .max)),
            environment: .init(
                loop: loop, clock: clock, log: ReplicaLog(logger: logger), status: shared, links: links, onLoss: onLoss,
                keyspace: configuration.keyspace,
                restore: { [restorer] in restorer.run($0, $1) },
                loaded: loaded, applied: applied))
        self.follower = NIOLoopBoundBox.makeBoxSendingValue(follower, eventLoop: loop)
    }

    /// Starts connecting.
    ///
    /// - Parameter saved: The position of the view, if it was read from a file.
    func start(from saved: SavedPosition? = nil) {
        loop.execute { self.follower.value.start(from: saved) }
    }

    /// Returns the position to save with the view. `nil` while the view may lack something.
    func savedPosition() async -> SavedPosition? {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: self.follower.value.savedPosition) }
        }
    }

    /// Sets the function that writes lost records back. Called before `start`.
    func restore(_ body: @escaping Restore) {
        restorer.set(body)
    }

    /// Drops the lost records from the view after everything was read again. Returns the current loss.
    func accept() async -> StoreLoss {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: self.follower.value.accept()) }
        }
    }

    /// Adds the restrictions of a record that this gateway has written to the view, unless the view contains
    /// everything up to its entry.
    func record(_ word: RecordWord, of key: ReplicaKey, at entry: ReplicaStreamID) async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.follower.value.record(word, of: key, at: entry)
                continuation.resume()
            }
        }
    }

    /// Closes the connection. The view is stale from then on.
    func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.follower.value.stop()
                continuation.resume()
            }
        }
    }
}
