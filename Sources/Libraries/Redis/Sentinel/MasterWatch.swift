public import Logging
public import NIOCore

/// The regular queries to all sentinels, or to all masters of a cluster, which keep a `MasterAgreement` up to date
/// while its links are healthy.
///
/// A healthy link is no evidence that its server is still the master: a former master that was isolated accepts
/// commands until the sentinels reach it, and later. So this object asks every sentinel for the master's address in
/// each interval, over one connection to each. It moves the links to an address that more than half of the sentinels
/// name, and closes them while fewer than half respond and agree.
///
/// In a cluster, the masters vote in failovers, so they are asked instead. The first round asks the configured nodes,
/// and each later one the masters that the majority knows. Without a majority, it asks the masters of the largest
/// topology, since replicas among the configured nodes have no vote.
public final class MasterWatch: Sendable {
    private let poller: NIOLoopBoundBox<MasterPoller>
    private let loop: any EventLoop

    /// Creates a watch, which does nothing before `start`. `nil` for a single server, and without an agreement.
    ///
    /// - Parameters:
    ///   - loop: The event loop of its connections, which must outlive the watch.
    ///   - clock: Nanoseconds of a monotonic clock.
    public init?(
        _ configuration: RedisConfiguration, loop: any EventLoop, logger: Logger,
        clock: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
    ) {
        guard let voters = Voters(configuration.location), let agreement = configuration.agreement else { return nil }
        self.loop = loop
        let poller = MasterPoller(voters, agreement, configuration, loop: loop, logger: logger, clock: clock)
        self.poller = NIOLoopBoundBox.makeBoxSendingValue(poller, eventLoop: loop)
    }

    /// Starts connecting to the sentinels or nodes.
    public func start() {
        loop.execute { self.poller.value.start() }
    }

    /// Closes the connections. The links keep their server.
    public func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.poller.value.stop()
                continuation.resume()
            }
        }
    }
}

/// The servers that are asked for the master.
private enum Voters {
    case sentinels([RedisEndpoint], master: String)
    case nodes([RedisEndpoint], ClusterKeyspace)

    init?(_ location: RedisConfiguration.Location) {
        switch location {
        case .sentinels(let sentinels, let master) where !sentinels.isEmpty:
            self = .sentinels(sentinels, master: master)
        case .cluster(let nodes, let keyspace) where !nodes.isEmpty: self = .nodes(nodes, keyspace)
        case .sentinels, .cluster, .server, .sentinel, .clusterNode: return nil
        }
    }

    /// The configured sentinels or nodes.
    var configured: [RedisEndpoint] {
        switch self {
        case .sentinels(let all, _), .nodes(let all, _): all
        }
    }

    var query: RedisCommand {
        switch self {
        case .sentinels(_, let master): Handshake.masterQuery(master)
        case .nodes: ClusterTopology.query
        }
    }

    func location(of endpoint: RedisEndpoint) -> RedisConfiguration.Location {
        switch self {
        case .sentinels(_, let master): .sentinel(endpoint, master: master)
        case .nodes(_, let keyspace): .clusterNode(endpoint, keyspace)
        }
    }
}

/// The connections and the timer of a `MasterWatch`. It belongs to one event loop.
private final class MasterPoller {
    private let voters: Voters
    private let query: RedisCommand
    private var links: [RedisEndpoint: RedisLink] = [:]
    /// The servers of the current round.
    private var asked: [RedisEndpoint]
    /// The topologies that were reported in this round.
    private var topologies: [ClusterTopology] = []
    /// The number of masters that were adopted last. 0 before the first time.
    private var masterCount = 0
    /// Whether configured nodes are asked too, which need not be masters.
    private var isSearching = true
    private let configuration: RedisConfiguration
    private let agreement: MasterAgreement
    private let loop: any EventLoop
    private let logger: Logger
    private let clock: @Sendable () -> UInt64
    private let interval: UInt64
    private let timeout: UInt64
    private var poll: SentinelPoll
    private var begunAt: UInt64 = 0
    private var timer: Scheduled<Void>?
    private var isStopped = false
    private var wasQuorate = true

    /// The interval of heartbeats, which the queries replace. The user of sentinels needs no right to `PING`.
    private static let noHeartbeats = Duration.seconds(86_400)

    init(
        _ voters: Voters, _ agreement: MasterAgreement, _ configuration: RedisConfiguration,
        loop: any EventLoop, logger: Logger, clock: @escaping @Sendable () -> UInt64
    ) {
        (self.voters, self.agreement, self.loop, self.logger, self.clock) = (voters, agreement, loop, logger, clock)
        (asked, query) = (voters.configured, voters.query)
        interval = configuration.sentinelInterval.nanosecondsClamped
        timeout = configuration.replyTimeout.nanosecondsClamped
        poll = SentinelPoll(count: asked.count, quorumLimit: configuration.quorumLimit.nanosecondsClamped)
        var configuration = configuration
        (configuration.agreement, configuration.refusesCopies) = (nil, false)
        // The credentials of sentinels do not change.
        if case .sentinels = voters { configuration.renewal = nil }
        configuration.heartbeatInterval = Self.noHeartbeats
        self.configuration = configuration
    }

    func start() {
        connect(to: asked)
        wait(interval)
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        for link in links.values { link.stop() }
    }

    /// Keeps the links to these servers, and closes others.
    private func connect(to endpoints: [RedisEndpoint]) {
        asked = endpoints
        let kept = Set(endpoints)
        for (endpoint, link) in links where !kept.contains(endpoint) {
            link.stop()
            links[endpoint] = nil
        }
        for endpoint in endpoints where links[endpoint] == nil {
            var configuration = configuration
            configuration.location = voters.location(of: endpoint)
            let link = RedisLink(configuration, loop: loop, logger: logger, clock: clock)
            links[endpoint] = link
            link.start()
        }
    }

    private func begin() {
        guard !isStopped else { return }
        begunAt = clock()
        topologies = []
        poll.begin(at: begunAt, asking: asked.count)
        for (place, endpoint) in asked.enumerated() {
            links[endpoint]?.send(query, ticket: UInt64(place), timeout: timeout, to: self)
        }
    }

    private func answered(_ address: RedisEndpoint?) {
        guard !isStopped, let finding = poll.answered(address) else { return }
        log(agreement.polled(finding), finding)
        if case .nodes = voters { adopt(finding) }
        let elapsed = clock() &- begunAt
        wait(elapsed < interval ? interval - elapsed : 0)
    }

    /// Chooses the masters of the next round.
    private func adopt(_ finding: SentinelPoll.Finding) {
        if topologies.isEmpty {
            // All addresses may have changed.
            isSearching = true
            return connect(to: asked + voters.configured.filter { !asked.contains($0) })
        }
        let isHalf = 2 * topologies.count >= asked.count
        if isHalf { configuration.clusterActivity?.confirm(at: begunAt) }
        guard let topology = isHalf ? agreed(on: finding.named) ?? largest : largest else { return }
        var known: Set<RedisEndpoint> = []
        let masters = topology.masters.map(\.endpoint).filter { known.insert($0).inserted }
        (masterCount, isSearching) = (masters.count, false)
        if masters != asked { connect(to: masters) }
    }

    private func agreed(on owner: RedisEndpoint?) -> ClusterTopology? {
        owner.flatMap { owner in topologies.first { $0.owner?.endpoint == owner } }
    }

    /// The topology with the most masters, if the servers that were asked are not all masters, or most of them no
    /// longer have their addresses. Replicas have no vote in a failover, so half of the listed nodes can be a minority
    /// of the masters. The number of masters must not decrease: a node that left the cluster may know only itself.
    private var largest: ClusterTopology? {
        guard isSearching || 2 * topologies.count < asked.count else { return nil }
        let found = topologies.filter { $0.owner != nil }.max { $0.masters.count < $1.masters.count }
        return found.flatMap { $0.masters.count >= masterCount ? $0 : nil }
    }

    /// Waits for the next round, with jitter so that the gateways of a fleet do not ask at once.
    private func wait(_ nanoseconds: UInt64) {
        let delay = nanoseconds.adding(UInt64.random(in: 0...(interval / 10)))
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: delay))) { [weak self] in
            self?.begin()
        }
    }

    private func log(_ order: MasterAgreement.Order?, _ finding: SentinelPoll.Finding) {
        let names = if case .nodes = voters { "masters of the Redis Cluster" } else { "Redis sentinels" }
        if case .move(let endpoint)? = order {
            let others = if case .nodes = voters { names } else { "sentinels" }
            logger.warning(
                "the \(others) name another Redis master; all connections move there",
                metadata: ["redis.endpoint": "\(endpoint)"])
        }
        guard finding.isQuorate != wasQuorate else { return }
        wasQuorate = finding.isQuorate
        if wasQuorate {
            logger.notice("at least half of the \(names) respond again")
        } else {
            logger.error("fewer than half of the \(names) respond and agree; the connections to the master are closed")
        }
    }
}

extension MasterPoller: RedisReceiver {
    func received(_ reply: RedisReply, ticket: UInt64) {
        switch voters {
        case .sentinels:
            if case .done(.master(let address)) = Handshake.master(reply) { answered(address) } else { answered(nil) }
        case .nodes(_, let keyspace):
            let topology = ClusterTopology(reply, slot: keyspace.slot, host: asked[Int(ticket)].host)
            if let topology { topologies.append(topology) }
            answered(topology?.owner?.endpoint)
        }
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        answered(nil)
    }
}
