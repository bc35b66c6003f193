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

    private var state = State.stopped
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

    /// Whether the machine was stopped, or not started.
    var isStopped: Bool {
        if case .stopped = state { true } else { false }
    }

    mutating func start() -> Action {
        guard case .stopped = state else { return .none }
        return connect()
    }

    mutating func stop() { state = .stopped }

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
        state = .waiting
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
            state = .ready(since: now)
            return .none
        case (.sentinel, .usable), (.node, .usable), (.server, .master):
            return wait()
        }
    }

    private mutating func prefer(_ endpoint: RedisEndpoint) {
        directories.removeAll { $0 == endpoint }
        directories.insert(endpoint, at: 0)
    }

    /// Abandons the connection that is ready for one to another server.
    mutating func move(to endpoint: RedisEndpoint) -> Action {
        guard case .ready = state else { return .none }
        return connect(to: .server(endpoint))
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
            // The sentinel or node may be out of date, so it moves to the end of the list.
            if let misleading = directories.first { directories = directories.dropFirst() + [misleading] }
            return wait()
        case .ready(let since):
            // A short-lived connection counts as a failure, so that repeated loss increases the backoff.
            if now >= since.adding(backoff.maximum.nanosecondsClamped) { failures = 0 }
            return wait()
        }
    }
}
