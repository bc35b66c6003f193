import Synchronization

/// The records that requests read: one table of users and one of sessions, shared by all workers.
///
/// A lookup is wait-free: it takes no lock, allocates nothing, never retries and never waits for the writer. The view
/// may be read from anywhere; a worker reads fastest through a `StoreReader` of its own. Only a store writes to it.
package final class StoreView: Sendable {
    private let lanes: ReaderLanes
    package let users: ShardedTable
    package let sessions: ShardedTable
    private let nextLane = Atomic<Int>(0)
    /// 0: not loaded; `UInt64.max`: always fresh; else the monotonic time of the last confirmation, plus 1.
    private let freshness = Atomic<UInt64>(0)
    private let changeCount = Atomic<UInt64>(0)

    /// An empty view of infinite age.
    package init() {
        lanes = ReaderLanes()
        users = ShardedTable(lanes: lanes)
        sessions = ShardedTable(lanes: lanes)
    }

    /// A reader with a lane of its own.
    package func reader() -> StoreReader {
        StoreReader(view: self, lane: nextLane.wrappingAdd(1, ordering: .relaxed).oldValue)
    }

    /// What is known of a user. Means something only while `age` is not too great.
    package func user(_ key: StoreKey) -> UserLookup {
        user(key, lane: Int(truncatingIfNeeded: key.low))
    }

    /// What is known of a session. Means something only while `age` is not too great.
    package func session(_ key: StoreKey) -> SessionLookup {
        session(key, lane: Int(truncatingIfNeeded: key.low))
    }

    /// How long ago, in nanoseconds, the view was last known to hold everything that was acknowledged: nil before the
    /// first load and after the store was closed (infinitely long ago), 0 for an embedded store.
    package func age(monotonicNow now: UInt64) -> UInt64? {
        switch freshness.load(ordering: .acquiring) {
        case 0: nil
        case .max: 0
        case let confirmed: now >= confirmed ? now - confirmed + 1 : 0
        }
    }

    /// How many records of the view are faulty. For metrics: takes the writer's lock.
    package var faultyRecords: Int { users.faulty + sessions.faulty }

    /// How many records the view holds, and how many bytes they take. For metrics: takes the writer's lock.
    package var usage: (users: Int, sessions: Int, bytes: Int) {
        let (users, sessions) = (users.usage, sessions.usage)
        return (users.records, sessions.records, users.bytes + sessions.bytes)
    }

    /// How often a record was set: as long as it stays the same, nothing is known now that was not known before.
    package var changes: UInt64 { changeCount.load(ordering: .acquiring) }

    @inline(__always)
    func user(_ key: StoreKey, lane: Int) -> UserLookup {
        users.find(key, lane: lane).user
    }

    @inline(__always)
    func records(user: StoreKey, session: StoreKey, lane: Int) -> (UserLookup, SessionLookup) {
        let (anyUser, anySession) = (!users.isEmpty, !sessions.isEmpty)
        guard anyUser || anySession else { return (.none, .none) }
        lanes.enter(lane)
        defer { lanes.leave(lane) }
        return (
            anyUser ? users.findEntered(user).user : .none, anySession ? sessions.findEntered(session).session : .none
        )
    }

    @inline(__always)
    func session(_ key: StoreKey, lane: Int) -> SessionLookup {
        sessions.find(key, lane: lane).session
    }
}

extension StoreView {
    /// Publishes a user's record: when this returns, every reader sees it.
    package func setUser(_ key: StoreKey, to word: RecordWord) {
        users.set(key, to: word)
        changeCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Publishes a session's record: when this returns, every reader sees it.
    package func setSession(_ key: StoreKey, to word: RecordWord) {
        sessions.set(key, to: word)
        changeCount.wrappingAdd(1, ordering: .releasing)
    }

    /// From now on the view is as fresh as can be: its store writes here before it acknowledges.
    package func setAlwaysFresh() {
        freshness.store(.max, ordering: .releasing)
    }

    /// Whether the view's store writes here before it acknowledges.
    package var isAlwaysFresh: Bool { freshness.load(ordering: .acquiring) == .max }

    /// The view held everything at `monotonic`, in nanoseconds.
    package func confirm(at monotonic: UInt64) {
        freshness.store(min(monotonic, .max - 2) + 1, ordering: .releasing)
    }

    /// From now on nothing keeps the view up to date.
    package func setStale() {
        freshness.store(0, ordering: .releasing)
    }
}

/// Reading all records again into a view that requests go on reading.
///
/// Nothing is taken away while the records are read: what was revoked before counts until the sweep, so the view errs
/// to the safe side. No second table is built, and no reader waits. What a store has lost may be kept instead of swept.
extension StoreView {
    /// Names one reading of all records, between `beginReread` and the last slice of the sweep.
    package struct Reread: Sendable {
        fileprivate let users: UInt64
        fileprivate let sessions: UInt64
    }

    /// How many slices a sweep has. A slice holds the writer's lock while it looks at one shard.
    package static let sweepSlices = ShardedTable.shardCount

    /// Begins to read all records again; an earlier reading ends without its sweep.
    package func beginReread() -> Reread {
        Reread(users: users.beginGeneration(), sessions: sessions.beginGeneration())
    }

    /// Removes, in one slice, the records that nobody set since `reread` began; none once a later one has begun.
    ///
    /// - Returns: how many were removed.
    package func sweep(_ reread: Reread, slice: Int) -> Int {
        users.sweep(shard: slice, generation: reread.users)
            + sessions.sweep(shard: slice, generation: reread.sessions)
    }

    /// Removes, in one slice, the sessions that nobody set since `reread` began.
    package func sweepSessions(_ reread: Reread, slice: Int) {
        _ = sessions.sweep(shard: slice, generation: reread.sessions)
    }

    /// Keeps, in one slice, the users that nobody set since `reread` began, and marks them.
    package func keepUsers(_ reread: Reread, slice: Int) {
        users.keep(shard: slice, generation: reread.users)
    }

    /// Keeps, in one slice, the sessions that nobody set since `reread` began, and marks them.
    package func keepSessions(_ reread: Reread, slice: Int) {
        sessions.keep(shard: slice, generation: reread.sessions)
    }

    /// How many records the store does not hold any more.
    package var kept: (users: Int, sessions: Int) { (users.kept, sessions.kept) }
}
