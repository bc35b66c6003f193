/// The HTTP/2 connections of one worker to one upstream and the number of their streams, as a pure value. It decides
/// which connection carries the next stream, and when to open another one.
struct SharedConnections {
    /// The placement of a stream.
    enum Placement: Equatable {
        /// The connection is ready.
        case open(Int)
        /// The connection is being opened.
        case join(Int)
        /// A new connection must be opened under this number. The other one, which was draining, must be closed with
        /// its streams, because too many connections are draining.
        case dial(Int, closing: Int? = nil)
        /// All connections are full.
        case full
    }

    /// The state of a connection.
    enum Phase: Equatable {
        case opening
        case open
        /// The connection receives no more streams. It is closed after its last one.
        case draining
    }

    private struct Entry {
        let id: Int
        let server: Int
        var phase = Phase.opening
        /// The maximum number of concurrent streams.
        var limit: Int
        var streams = 0
        /// The number of streams so far, including refused ones.
        var opened = 0
        /// The number of streams that ended before their response, less the permitted rate since then.
        var resets = 0
        /// Until when the permitted rate is subtracted.
        var resetsAsOf: UInt64 = 0
        /// When the connection began to drain, as a number that increases.
        var drainedAs = 0
        /// When the connection retires. `nil` while it is being opened.
        var until: UInt64?
        var idleSince: UInt64 = 0
    }

    /// The number of streams after which a connection is replaced. The stream identifiers of the protocol end at 2^30
    /// requests, and NIO traps beyond.
    static let maximumStreams = 1 << 20
    /// The number of streams that may end before their response, after which a connection is replaced. Servers limit
    /// such streams, and would otherwise end the connection with the streams of other users.
    static let maximumResets = 1_000
    /// The time in which one such stream is forgotten, in nanoseconds: 1,000 in 30 s.
    static let resetInterval: UInt64 = 30_000_000

    /// The maximum number of connections, without draining ones. As many may be draining.
    let limit: Int
    let streamsEach: Int
    private var entries: [Entry] = []
    private var nextID = 0
    private var nextDrained = 0
    /// The number of streams that each server accepted last.
    private var accepted: [Int: Int] = [:]

    init(limit: Int, streamsEach: Int) {
        self.limit = limit
        self.streamsEach = streamsEach
    }

    /// The number of connections, including draining ones and those being opened.
    var count: Int { entries.count }
    var streams: Int { entries.reduce(0) { $0 + $1.streams } }
    /// The number of ready connections without a stream.
    var idleCount: Int { entries.count { $0.phase == .open && $0.streams == 0 } }

    /// The number of streams that can be added, with new connections where permitted.
    var free: Int {
        let spare = entries.reduce(0) { $0 + ($1.phase == .draining ? 0 : max(0, $1.limit - $1.streams)) }
        return spare + mayDial * expected
    }

    private var draining: Int { entries.count { $0.phase == .draining } }

    /// The number of connections that may be opened. Draining ones do not reduce it: a user with long streams could
    /// otherwise stop the upstream for all.
    private var mayDial: Int { max(0, limit - (entries.count - draining)) }

    /// The number of streams of a new connection to the server that accepts the most.
    private var expected: Int { accepted.values.max() ?? streamsEach }

    /// Chooses a connection to a server and counts the stream. If the server has no connection and none can be opened,
    /// a connection to another server is chosen.
    mutating func place(on server: Int) -> Placement {
        if let index = best(where: { $0.server == server }) { return take(index) }
        if mayDial == 0 {
            guard let index = best(where: { _ in true }) else { return .full }
            return take(index)
        }
        let closing = entries.count >= 2 * limit ? takeOldestDraining() : nil
        let id = nextID
        nextID += 1
        var entry = Entry(id: id, server: server, limit: max(1, accepted[server] ?? streamsEach))
        (entry.streams, entry.opened) = (1, 1)
        entries.append(entry)
        return .dial(id, closing: closing)
    }

    /// Removes the open connection that drains for the longest time.
    private mutating func takeOldestDraining() -> Int? {
        let candidates = entries.indices.filter { entries[$0].phase == .draining && entries[$0].until != nil }
        guard let oldest = candidates.min(by: { entries[$0].drainedAs < entries[$1].drainedAs }) else { return nil }
        return entries.remove(at: oldest).id
    }

    /// The connection with the fewest streams, ready ones first.
    private func best(where matches: (Entry) -> Bool) -> Int? {
        let candidates = entries.indices.filter { index in
            let entry = entries[index]
            return entry.phase != .draining && entry.streams < entry.limit && matches(entry)
        }
        return candidates.min { left, right in
            let (left, right) = (entries[left], entries[right])
            return left.phase == right.phase ? left.streams < right.streams : left.phase == .open
        }
    }

    private mutating func take(_ index: Int) -> Placement {
        let entry = entries[index]
        entries[index].streams += 1
        entries[index].opened += 1
        if entries[index].opened >= Self.maximumStreams { beginDraining(index) }
        return entry.phase == .open ? .open(entry.id) : .join(entry.id)
    }

    func server(of id: Int) -> Int? { index(of: id).map { entries[$0].server } }
    func phase(of id: Int) -> Phase? { index(of: id).map { entries[$0].phase } }
    func streams(of id: Int) -> Int { index(of: id).map { entries[$0].streams } ?? 0 }

    /// Whether the connection carried a stream before the current ones, so that it may have been closed for idleness.
    func isUsed(_ id: Int) -> Bool {
        guard let index = index(of: id) else { return false }
        return entries[index].opened > entries[index].streams
    }

    // MARK: - Events

    /// Records that a connection is ready.
    ///
    /// - Parameters:
    ///   - peerLimit: The server's SETTINGS_MAX_CONCURRENT_STREAMS. `nil` without one.
    ///   - until: When the connection retires.
    /// - Returns: The number of streams that exceed the limit. They must be placed again.
    mutating func opened(_ id: Int, peerLimit: Int?, until: UInt64) -> Int {
        guard let index = index(of: id) else { return 0 }
        if entries[index].phase == .opening { entries[index].phase = .open }
        entries[index].until = until
        setLimit(peerLimit, at: index)
        return max(0, entries[index].streams - entries[index].limit)
    }

    /// Records a change of the server's SETTINGS_MAX_CONCURRENT_STREAMS.
    mutating func limited(_ id: Int, peerLimit: Int?) {
        guard let index = index(of: id) else { return }
        setLimit(peerLimit, at: index)
    }

    private mutating func setLimit(_ peerLimit: Int?, at index: Int) {
        let limit = min(streamsEach, peerLimit ?? streamsEach)
        entries[index].limit = limit
        accepted[entries[index].server] = max(1, limit)
    }

    /// Records the end of a stream. Returns whether to close the connection.
    ///
    /// - Parameter isReset: Whether the stream ended before its response was complete.
    mutating func ended(_ id: Int, isReset: Bool, now: UInt64) -> Bool {
        guard let index = index(of: id) else { return false }
        entries[index].streams -= 1
        entries[index].idleSince = now
        if isReset, countReset(at: index, now: now), mayRetire { beginDraining(index) }
        return entries[index].phase == .draining && entries[index].streams == 0
    }

    /// Counts a reset. Returns whether there are too many.
    private mutating func countReset(at index: Int, now: UInt64) -> Bool {
        let elapsed = now > entries[index].resetsAsOf ? now - entries[index].resetsAsOf : 0
        let forgotten = elapsed / Self.resetInterval
        entries[index].resetsAsOf = now - elapsed % Self.resetInterval
        entries[index].resets = max(0, entries[index].resets - Int(clamping: forgotten)) + 1
        return entries[index].resets >= Self.maximumResets
    }

    /// Stops adding streams to a connection that receives no more. Returns whether to close it.
    mutating func drain(_ id: Int) -> Bool {
        guard let index = index(of: id) else { return false }
        beginDraining(index)
        return entries[index].streams == 0
    }

    /// Stops adding streams to a connection that can be used further, unless too many connections are draining. Returns
    /// whether to close it.
    mutating func retire(_ id: Int) -> Bool {
        guard let index = index(of: id), entries[index].streams == 0 || mayRetire else { return false }
        return drain(id)
    }

    /// Whether a usable connection may be replaced. The replaced ones are then never closed before their last stream.
    private var mayRetire: Bool { draining < limit }

    private mutating func beginDraining(_ index: Int) {
        guard entries[index].phase != .draining else { return }
        entries[index].phase = .draining
        nextDrained += 1
        entries[index].drainedAs = nextDrained
    }

    /// Removes a closed connection. Its streams end separately and no longer count.
    mutating func closed(_ id: Int) {
        guard let index = index(of: id) else { return }
        entries.remove(at: index)
    }

    /// Returns the connections to retire: those beyond their age, and those that have been idle since before `idle`.
    func expired(now: UInt64, idleSince idle: UInt64) -> [Int] {
        entries.filter { entry in
            guard entry.phase == .open else { return false }
            return entry.until.map { $0 <= now } == true || (entry.streams == 0 && entry.idleSince < idle)
        }.map(\.id)
    }

    /// Returns the connections to servers that `isWanted` rejects.
    func unwanted(_ isWanted: (_ server: Int) -> Bool) -> [Int] {
        entries.filter { $0.phase != .draining && !isWanted($0.server) }.map(\.id)
    }

    private func index(of id: Int) -> Int? { entries.firstIndex { $0.id == id } }
}
