/// The connections that one worker keeps to one upstream, as a pure value: who takes which, when to connect, when to wait.
///
/// `Connection` and `Waiter` are what the worker holds for a connection and for a request that waits; tests use numbers.
/// An upload is a request whose body has not come to its end. How long that takes is the client's choice, so uploads may hold a
/// share of the connections only, and of the places to wait: the others are for requests that nobody can draw out.
package struct UpstreamPoolMachine<Connection: Equatable, Waiter> {
    /// What a request that needs a connection gets.
    enum Acquired {
        case use(Connection)
        case connect(server: Int)
        /// The pool is full of connections that cannot serve: close this idle one, and connect.
        case replace(Connection, server: Int)
        /// Every connection that it may have is busy: wait for one.
        case wait
        /// As many as may wait are waiting.
        case refuse
    }

    /// What happens with a connection that finished an exchange.
    enum Released {
        case kept
        /// Its server gets no requests now, or the pool ends: close it. Ask for `next` then.
        case close
        /// A request was waiting: give it the connection.
        case serve(UpstreamQueue<Waiter>.Entry)
    }

    /// What a request that waited gets.
    enum Next {
        case use(Connection, UpstreamQueue<Waiter>.Entry)
        case connect(server: Int, UpstreamQueue<Waiter>.Entry)
    }

    private struct Idle {
        var connection: Connection
        var since: UInt64
    }

    /// The most connections of the worker to the upstream, all its servers together.
    let limit: Int
    private var idle: [[Idle]]
    private var queue: UpstreamQueue<Waiter>
    private(set) var open = 0
    /// The connections, open or being opened, that uploads hold.
    private(set) var uploads = 0
    /// Who they are, and whom a request goes to.
    package var servers: UpstreamServers
    /// Nothing is kept for later requests: the upstream is gone.
    private(set) var isRetired = false

    init(servers: UpstreamServers, limit: Int, waitingLimit: Int) {
        self.limit = limit
        self.servers = servers
        queue = UpstreamQueue(limit: waitingLimit)
        idle = Array(repeating: [], count: servers.servers.count)
    }

    var idleCount: Int { idle.reduce(0) { $0 + $1.count } }
    var waiting: Int { queue.count }

    /// - Parameters:
    ///   - reuse: whether a connection that served before will do.
    ///   - isUpload: whether the body has not come to its end.
    ///   - value: the hash of what the server is chosen by; nil: there is nothing.
    ///   - tried: the servers where the request failed before.
    ///   - waiter: what is kept of the request while it waits.
    mutating func acquire(
        reuse: Bool, isUpload: Bool, by value: UInt64? = nil, avoiding tried: [Int] = [],
        orWait waiter: @autoclosure () -> Waiter
    ) -> Acquired {
        guard !isUpload || mayUpload else { return wait(waiter(), isUpload: true) }
        let server = servers.choose(by: value, avoiding: tried)
        if reuse, let kept = idle[server].popLast() {
            begin(server, isUpload: isUpload)
            return .use(kept.connection)
        }
        guard open >= limit else {
            open += 1
            begin(server, isUpload: isUpload)
            return .connect(server: server)
        }
        guard let (kept, other) = takeAnyIdle() else { return wait(waiter(), isUpload: isUpload) }
        // A value's requests belong to its server: not to whichever is free.
        guard reuse, value == nil, tried.isEmpty else {
            begin(server, isUpload: isUpload)
            return .replace(kept, server: server)
        }
        begin(other, isUpload: isUpload)
        return .use(kept)
    }

    /// A connection attempt failed, or an open connection that was not idle closed. Ask for `next` then.
    mutating func closed(server: Int, isUpload: Bool) {
        open -= 1
        servers.ended(server)
        if isUpload { uploads -= 1 }
    }

    /// An upload has come to its end, or came to nothing: its connection no longer counts for the share. Ask for `next` then.
    mutating func uploadEnded() {
        uploads -= 1
    }

    /// The first request that waits and can have a connection now.
    mutating func next() -> Next? {
        guard queue.hasNext(withUploads: mayUpload) else { return nil }
        let kept = takeAnyIdle()
        guard kept != nil || open < limit, let entry = queue.popNext(withUploads: mayUpload) else { return nil }
        let server = kept?.server ?? servers.choose(by: nil, avoiding: [])
        begin(server, isUpload: entry.isUpload)
        if let kept { return .use(kept.connection, entry) }
        open += 1
        return .connect(server: server, entry)
    }

    /// Which server to try after one could not be reached; the place in the pool stays taken.
    mutating func anotherServer(after failed: Int, avoiding tried: [Int]) -> Int {
        servers.ended(failed)
        let server = servers.choose(by: nil, avoiding: tried)
        servers.began(server)
        return server
    }

    /// An idle connection closed.
    mutating func idleClosed(_ connection: Connection, server: Int) {
        guard let index = idle[server].firstIndex(where: { $0.connection == connection }) else { return }
        idle[server].remove(at: index)
        open -= 1
    }

    mutating func released(_ connection: Connection, server: Int, now: UInt64) -> Released {
        guard !isRetired, servers.keeps(server) else {
            closed(server: server, isUpload: false)
            return .close
        }
        servers.ended(server)
        if let entry = queue.popNext(withUploads: mayUpload) {
            begin(server, isUpload: entry.isUpload)
            return .serve(entry)
        }
        idle[server].append(Idle(connection: connection, since: now))
        return .kept
    }

    /// Servers have come or gone, or some get no requests now: takes out the idle connections of those that get none.
    mutating func serversChanged() -> [Connection] {
        while idle.count < servers.servers.count { idle.append([]) }
        var taken: [Connection] = []
        for server in idle.indices where !idle[server].isEmpty && !servers.keeps(server) {
            taken += idle[server].map(\.connection)
            idle[server] = []
        }
        open -= taken.count
        return taken
    }

    /// From now on nothing is kept.
    mutating func retire() { isRetired = true }

    /// Takes out the waiting request that gave up.
    mutating func gaveUp(where isTheOne: (Waiter) -> Bool) {
        queue.removeFirst(where: isTheOne)
    }

    /// Takes out the requests that have waited for too long; those that came first are looked at first.
    mutating func expireWaiting(while isLate: (Waiter) -> Bool) -> [Waiter] {
        queue.removeAll(while: isLate)
    }

    /// Some of the bodies that had not come to their ends may have, while their requests wait. Ask for `next` then.
    mutating func uploadsArrived(where hasArrived: (Waiter) -> Bool) {
        queue.settleUploads(where: hasArrived)
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

    private var mayUpload: Bool { uploads < UploadShare.of(limit) }

    private mutating func wait(_ waiter: Waiter, isUpload: Bool) -> Acquired {
        queue.append(waiter, isUpload: isUpload) ? .wait : .refuse
    }

    @inline(__always)
    private mutating func begin(_ server: Int, isUpload: Bool) {
        servers.began(server)
        if isUpload { uploads += 1 }
    }

    private mutating func takeAnyIdle() -> (connection: Connection, server: Int)? {
        for server in idle.indices {
            if let kept = idle[server].popLast() { return (kept.connection, server) }
        }
        return nil
    }
}

/// How much of something uploads may have.
enum UploadShare {
    /// Three quarters; at least one.
    static func of(_ total: Int) -> Int { max(1, total - (total + 3) / 4) }
}
