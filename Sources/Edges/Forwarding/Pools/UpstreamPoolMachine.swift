/// One worker's connections to one upstream, as a pure value. It decides which request uses which connection, and when
/// to connect or to wait.
///
/// `Connection` and `Waiter` are the worker's objects for a connection and a waiting request; tests use numbers. An
/// upload is a request whose body is incomplete. The client controls its duration. Uploads may therefore use only a
/// share of the connections and of the queue; the rest is reserved for requests that no client can prolong.
package struct UpstreamPoolMachine<Connection: Equatable, Waiter> {
    /// The assignment of a connection to a request.
    enum Acquired {
        case use(Connection)
        case connect(server: Int)
        /// The pool is full of unsuitable connections: close this idle one, and connect.
        case replace(Connection, server: Int)
        /// All connections are busy: wait for one.
        case wait
        /// The queue is full.
        case refuse
    }

    /// The next use of a connection that finished an exchange.
    enum Released {
        case kept
        /// The server receives no requests, or the pool is retired: close the connection. Call `next` then.
        case close
        /// Assign the connection to this waiting request.
        case serve(UpstreamQueue<Waiter>.Entry)
    }

    /// The assignment of a connection to a waiting request.
    enum Next {
        case use(Connection, UpstreamQueue<Waiter>.Entry)
        case connect(server: Int, UpstreamQueue<Waiter>.Entry)
    }

    private struct Idle {
        var connection: Connection
        var since: UInt64
    }

    /// The maximum number of the worker's connections to the upstream, for all servers together. With HTTP/2, of its
    /// streams, which changes.
    var limit: Int
    private var idle: [[Idle]]
    private var queue: UpstreamQueue<Waiter>
    private(set) var open = 0
    /// The connections of uploads, open or being opened.
    private(set) var uploads = 0
    /// The servers, and the choice among them.
    package var servers: UpstreamServers
    /// Whether connections are no longer kept, because the upstream was removed.
    private(set) var isRetired = false

    init(servers: UpstreamServers, limit: Int, waitingLimit: Int) {
        self.limit = limit
        self.servers = servers
        queue = UpstreamQueue(limit: waitingLimit)
        idle = Array(repeating: [], count: servers.servers.count)
    }

    var idleCount: Int { idle.reduce(0) { $0 + $1.count } }
    var waiting: Int { queue.count }

    /// Assigns a connection to a request.
    ///
    /// - Parameters:
    ///   - reuse: Whether a reused connection is acceptable.
    ///   - isUpload: Whether the body is incomplete.
    ///   - value: The hash of the value to choose the server by. `nil` without a value.
    ///   - tried: The servers that failed for this request.
    ///   - waiter: The waiting request, if it has to wait.
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
        // Requests with a value belong to its server, even if another connection is free.
        guard reuse, value == nil, tried.isEmpty else {
            begin(server, isUpload: isUpload)
            return .replace(kept, server: server)
        }
        begin(other, isUpload: isUpload)
        return .use(kept)
    }

    /// Records a failed attempt, or the close of a busy connection. Call `next` then.
    mutating func closed(server: Int, isUpload: Bool) {
        open -= 1
        servers.ended(server)
        if isUpload { uploads -= 1 }
    }

    /// Returns a request to the queue whose stream found no connection. Returns whether it waits.
    mutating func waitAgain(_ entry: UpstreamQueue<Waiter>.Entry, server: Int) -> Bool {
        closed(server: server, isUpload: entry.isUpload)
        return queue.append(entry.waiter, isUpload: entry.isUpload)
    }

    /// Records the end of an upload, whose connection no longer counts against the share. Call `next` then.
    mutating func uploadEnded() {
        uploads -= 1
    }

    /// Returns the first waiting request that can have a connection now.
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

    /// Returns another server to try after one could not be reached. The pool's slot stays taken.
    mutating func anotherServer(after failed: Int, avoiding tried: [Int]) -> Int {
        servers.ended(failed)
        let server = servers.choose(by: nil, avoiding: tried)
        servers.began(server)
        return server
    }

    /// Records the close of an idle connection.
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

    /// Handles a change of the servers. Returns the idle connections of those without requests, which are removed.
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

    /// Stops keeping connections.
    mutating func retire() { isRetired = true }

    /// Removes an abandoned request from the queue.
    mutating func gaveUp(where isTheOne: (Waiter) -> Bool) {
        queue.removeFirst(where: isTheOne)
    }

    /// Removes requests that have waited too long, oldest first.
    mutating func expireWaiting(while isLate: (Waiter) -> Bool) -> [Waiter] {
        queue.removeAll(while: isLate)
    }

    /// Updates the uploads in the queue whose bodies are complete now. Call `next` then.
    mutating func uploadsArrived(where hasArrived: (Waiter) -> Bool) {
        queue.settleUploads(where: hasArrived)
    }

    /// Removes and returns the connections that have been idle since before `time`. The caller closes them.
    mutating func expire(idleSince time: UInt64) -> [Connection] {
        var expired: [Connection] = []
        for server in idle.indices {
            // Connections are taken from the end, so that the longest idle ones are in front.
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

/// The share of resources for uploads.
enum UploadShare {
    /// Returns three quarters, at least one.
    static func of(_ total: Int) -> Int { max(1, total - (total + 3) / 4) }
}
