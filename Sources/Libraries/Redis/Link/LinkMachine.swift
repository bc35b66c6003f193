/// The state machine that chooses the next server to connect to, and the time. Times are nanoseconds of a monotonic
/// clock.
struct LinkMachine<Random: RandomNumberGenerator> {
    enum Target: Equatable {
        case server(RedisEndpoint)
        case sentinel(RedisEndpoint, master: String)
        /// A node of a cluster that names the master of the slot.
        case node(RedisEndpoint, HashSlot)

        var endpoint: RedisEndpoint {
            switch self {
            case .server(let endpoint), .sentinel(let endpoint, _), .node(let endpoint, _): endpoint
            }
        }
    }

    enum Action: Equatable {
        case none
        case connect(Target)
        /// Wait this many nanoseconds, then call `waited`.
        case wait(UInt64)
    }

    private enum State {
        case stopped
        case connecting(Target)
        case ready(since: UInt64)
        case waiting
    }

    /// The maximum number of redirects from node to node of a cluster that are followed without a wait.
    static var maximumHops: Int { 3 }
    /// The time that a server has to serve the slot before redirects are counted from the start, in nanoseconds.
    static var settledTime: UInt64 { 1_000_000_000 }

    /// The reason that a link of a cluster opens another connection without a wait.
    private enum Following {
        /// A node named another one.
        case redirect
        /// The node that was named failed, so the configured nodes are asked once.
        case lookup
    }

    private var state = State.stopped
    private var following: Following?
    private var hops = 0
    private let location: RedisConfiguration.Location
    private let backoff: RedisBackoff
    private var random: Random
    /// The sentinels or nodes in the order of lookups. The last that replied comes first.
    private var directories: [RedisEndpoint]
    /// The number of them that failed since the last wait.
    private var failedDirectories = 0

    /// The number of consecutive failures.
    private(set) var failures = 0

    init(_ location: RedisConfiguration.Location, backoff: RedisBackoff, random: Random) {
        self.location = location
        self.backoff = backoff
        self.random = random
        directories =
            switch location {
            case .sentinels(let all, _), .cluster(let all, _): all
            case .server, .sentinel, .clusterNode: []
            }
    }

    /// Whether sentinels or nodes of a cluster name the server, which then has to report that it is the master.
    var isNamedByOthers: Bool {
        switch location {
        case .sentinels, .cluster: true
        case .server, .sentinel, .clusterNode: false
        }
    }

    /// Whether the link is to a sentinel itself, or to a node that only names the master.
    var isDirectory: Bool {
        switch location {
        case .sentinel, .clusterNode: true
        case .server, .sentinels, .cluster: false
        }
    }

    /// Whether the link follows the slot of a cluster, and may be ready within milliseconds.
    var isFollowingSlot: Bool { following != nil }

    private var isOfCluster: Bool {
        if case .cluster = location { true } else { false }
    }

    /// Whether the machine was stopped, or not started.
    var isStopped: Bool {
        if case .stopped = state { true } else { false }
    }

    mutating func start() -> Action {
        guard case .stopped = state else { return .none }
        return connect()
    }

    mutating func stop() { (state, following) = (.stopped, nil) }

    /// Handles the end of a wait.
    mutating func waited() -> Action {
        guard case .waiting = state else { return .none }
        return connect()
    }

    private mutating func connect() -> Action {
        switch location {
        case .server(let endpoint): return connect(to: .server(endpoint))
        case .sentinels(_, let master): return connectToDirectory { .sentinel($0, master: master) }
        case .sentinel(let endpoint, let master): return connect(to: .sentinel(endpoint, master: master))
        case .cluster(_, let keyspace): return connectToDirectory { .node($0, keyspace.slot) }
        case .clusterNode(let endpoint, let keyspace): return connect(to: .node(endpoint, keyspace.slot))
        }
    }

    private mutating func connectToDirectory(_ target: (RedisEndpoint) -> Target) -> Action {
        guard failedDirectories < directories.count else { return wait() }
        return connect(to: target(directories[failedDirectories]))
    }

    private mutating func connect(to target: Target) -> Action {
        state = .connecting(target)
        return .connect(target)
    }

    private mutating func wait() -> Action {
        (state, following, hops) = (.waiting, nil, 0)
        failedDirectories = 0
        failures += 1
        return .wait(backoff.delay(afterFailures: failures, using: &random))
    }

    /// Handles an open connection: a usable server, or a sentinel's report of the master's address.
    mutating func opened(_ finding: Handshake.Finding, at now: UInt64) -> Action {
        guard case .connecting(let target) = state else { return .none }
        switch (target, finding) {
        case (.sentinel, .master) where isDirectory, (.node, .master) where isDirectory:
            state = .ready(since: now)
            return .none
        case (.sentinel(let endpoint, _), .master(let master)), (.node(let endpoint, _), .master(let master)):
            prefer(endpoint)
            return connect(to: .server(master))
        case (.server, .usable):
            (state, following) = (.ready(since: now), nil)
            return .none
        case (.server, .moved(let owner)): return follow(owner)
        case (.sentinel, _), (.node, _), (.server, .master): return wait()
        }
    }

    /// Connects to the node that another one named. Nodes that refer to each other are asked again after a wait.
    private mutating func follow(_ endpoint: RedisEndpoint) -> Action {
        hops += 1
        guard hops <= Self.maximumHops else { return waitAfterMisleading() }
        following = .redirect
        return connect(to: .server(endpoint))
    }

    /// Waits. The sentinel or node that named the server may be out of date, so it moves to the end of the list.
    private mutating func waitAfterMisleading() -> Action {
        if let misleading = directories.first { directories = directories.dropFirst() + [misleading] }
        return wait()
    }

    private mutating func prefer(_ endpoint: RedisEndpoint) {
        directories.removeAll { $0 == endpoint }
        directories.insert(endpoint, at: 0)
    }

    /// Abandons the connection that is ready for one to another server.
    mutating func move(to endpoint: RedisEndpoint, at now: UInt64) -> Action {
        guard case .ready(let since) = state else { return .none }
        guard isOfCluster else { return connect(to: .server(endpoint)) }
        if now >= since.adding(Self.settledTime) { hops = 0 }
        return follow(endpoint)
    }

    /// Handles a failed attempt or a closed connection.
    mutating func failed(at now: UInt64) -> Action {
        switch state {
        case .stopped, .waiting: return .none
        case .connecting where isDirectory: return wait()
        case .connecting(.sentinel), .connecting(.node):
            failedDirectories += 1
            return connect()
        case .connecting(.server):
            guard following == .redirect else { return waitAfterMisleading() }
            (following, failedDirectories) = (.lookup, 0)
            return connect()
        case .ready(let since):
            // A short-lived connection counts as a failure, so that repeated loss increases the backoff.
            if now >= since.adding(backoff.maximum.nanosecondsClamped) { failures = 0 }
            return wait()
        }
    }
}
