/// The connections that one worker keeps to one upstream, as a pure value: who takes which, when to connect, when to wait.
///
/// `Connection` is what the worker holds for each; tests use numbers.
struct UpstreamPoolMachine<Connection: Equatable> {
    /// What a request that needs a connection gets.
    enum Acquired {
        case use(Connection)
        case connect(server: Int)
        /// The pool is full of connections that cannot serve: close this idle one, and connect.
        case replace(Connection, server: Int)
        /// Every connection is busy: wait for one.
        case wait
        /// As many as may wait are waiting.
        case refuse
    }

    /// What happens with a connection that finished an exchange.
    enum Released {
        case kept
        /// A request is waiting: give it the connection.
        case serveNext
    }

    private struct Idle {
        var connection: Connection
        var since: UInt64
    }

    /// The most connections of the worker to the upstream, all its servers together.
    let limit: Int
    /// The most requests that wait for one.
    let waitingLimit: Int
    private var idle: [[Idle]]
    private(set) var open = 0
    private(set) var waiting = 0
    private var turn = 0

    init(servers: Int, limit: Int, waitingLimit: Int) {
        self.limit = limit
        self.waitingLimit = waitingLimit
        idle = Array(repeating: [], count: servers)
    }

    var idleCount: Int { idle.reduce(0) { $0 + $1.count } }
    var serverCount: Int { idle.count }

    /// - Parameter reuse: whether a connection that served before will do.
    mutating func acquire(reuse: Bool) -> Acquired {
        let server = nextServer()
        if reuse, let kept = idle[server].popLast() { return .use(kept.connection) }
        if open < limit {
            open += 1
            return .connect(server: server)
        }
        if let kept = takeAnyIdle() { return reuse ? .use(kept) : .replace(kept, server: server) }
        guard waiting < waitingLimit else { return .refuse }
        waiting += 1
        return .wait
    }

    /// A connection attempt failed, or an open connection that was not idle closed.
    ///
    /// - Returns: the server to connect to for a request that waits, if there is one.
    mutating func closed() -> Int? {
        open -= 1
        guard waiting > 0, open < limit else { return nil }
        waiting -= 1
        open += 1
        return nextServer()
    }

    /// Which server to try after one could not be reached; the place in the pool stays taken.
    mutating func anotherServer() -> Int { nextServer() }

    /// An idle connection closed.
    mutating func idleClosed(_ connection: Connection, server: Int) {
        guard let index = idle[server].firstIndex(where: { $0.connection == connection }) else { return }
        idle[server].remove(at: index)
        open -= 1
    }

    mutating func released(_ connection: Connection, server: Int, now: UInt64) -> Released {
        if waiting > 0 {
            waiting -= 1
            return .serveNext
        }
        idle[server].append(Idle(connection: connection, since: now))
        return .kept
    }

    /// A waiting request gave up.
    mutating func gaveUp() {
        if waiting > 0 { waiting -= 1 }
    }

    /// Takes out the connections that have been idle since before `time`: the pool forgets them, the caller closes them.
    mutating func expire(idleSince time: UInt64) -> [Connection] {
        var expired: [Connection] = []
        for server in idle.indices {
            // Taken from the end, so the longest idle are in front.
            let stale = idle[server].prefix { $0.since < time }
            guard !stale.isEmpty else { continue }
            expired.append(contentsOf: stale.map(\.connection))
            idle[server].removeFirst(stale.count)
        }
        open -= expired.count
        return expired
    }

    private mutating func nextServer() -> Int {
        let server = turn
        turn = turn + 1 == idle.count ? 0 : turn + 1
        return server
    }

    private mutating func takeAnyIdle() -> Connection? {
        for server in idle.indices {
            if let kept = idle[server].popLast() { return kept.connection }
        }
        return nil
    }
}
