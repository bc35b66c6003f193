import Synchronization

/// The records that requests read: a table of users and a table of sessions, shared by all workers.
///
/// A lookup is wait-free: it takes no lock, allocates nothing, never retries and never waits for the writer. Any
/// thread can read the view; a worker's own `StoreReader` is fastest. Only the store writes to it.
package final class StoreView: Sendable {
    private let lanes: ReaderLanes
    package let users: ShardedTable
    package let sessions: ShardedTable
    private let nextLane = Atomic<Int>(0)
    /// 0: not loaded. `UInt64.max`: always fresh. Otherwise, the monotonic time of the last confirmation plus 1.
    private let freshness = Atomic<UInt64>(0)
    private let changeCount = Atomic<UInt64>(0)

    /// Creates an empty view that is not loaded.
    package init() {
        lanes = ReaderLanes()
        users = ShardedTable(lanes: lanes)
        sessions = ShardedTable(lanes: lanes)
    }

    /// Creates a reader with the next lane.
    package func reader() -> StoreReader {
        StoreReader(view: self, lane: nextLane.wrappingAdd(1, ordering: .relaxed).oldValue)
    }

    /// Looks up a user. Valid only while `age` is within bounds.
    package func user(_ key: StoreKey) -> UserLookup {
        user(key, lane: Int(truncatingIfNeeded: key.low))
    }

    /// Looks up a session. Valid only while `age` is within bounds.
    package func session(_ key: StoreKey) -> SessionLookup {
        session(key, lane: Int(truncatingIfNeeded: key.low))
    }

    /// Returns the time in nanoseconds since the view was last known to contain all acknowledged writes; 0 for an
    /// embedded store. `nil` before the first load and after the store was closed.
    package func age(monotonicNow now: UInt64) -> UInt64? {
        switch freshness.load(ordering: .acquiring) {
        case 0: nil
        case .max: 0
        case let confirmed: now >= confirmed ? now - confirmed + 1 : 0
        }
    }

    /// The number of faulty records. For metrics, since it takes the writer's lock.
    package var faultyRecords: Int { users.faulty + sessions.faulty }

    /// The number of records and their size in bytes. For metrics, since it takes the writer's lock.
    package var usage: (users: Int, sessions: Int, bytes: Int) {
        let (users, sessions) = (users.usage, sessions.usage)
        return (users.records, sessions.records, users.bytes + sessions.bytes)
    }

    /// A counter that increases with every record that is set. While it is unchanged, the view contains no new record.
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
    /// Publishes a user's record. All readers see it after the return.
    package func setUser(_ key: StoreKey, to word: RecordWord) {
        users.set(key, to: word)
        changeCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Publishes a session's record. All readers see it after the return.
    package func setSession(_ key: StoreKey, to word: RecordWord) {
        sessions.set(key, to: word)
        changeCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Returns a copy of the users of one slice, of `sweepSlices`. The writer waits meanwhile.
    package func userRecords(slice: Int) -> [(key: StoreKey, word: RecordWord)] { users.records(shard: slice) }

    /// Returns a copy of the sessions of one slice, of `sweepSlices`. The writer waits meanwhile.
    package func sessionRecords(slice: Int) -> [(key: StoreKey, word: RecordWord)] { sessions.records(shard: slice) }

    /// Marks the view as always fresh: its store writes to the view before it acknowledges a write.
    package func setAlwaysFresh() {
        freshness.store(.max, ordering: .releasing)
    }

    /// Whether the view's store writes to the view before it acknowledges a write.
    package var isAlwaysFresh: Bool { freshness.load(ordering: .acquiring) == .max }

    /// Records that the view was complete at `monotonic`, in nanoseconds.
    package func confirm(at monotonic: UInt64) {
        freshness.store(min(monotonic, .max - 2) + 1, ordering: .releasing)
    }

    /// Marks the view as no longer updated.
    package func setStale() {
        freshness.store(0, ordering: .releasing)
    }
}

/// Reading all records again while requests use the view.
///
/// No record is removed before the sweep, so old revocations remain in force meanwhile. No second table is built, and
/// no reader waits. Records that the store has lost can be kept instead of swept.
extension StoreView {
    /// One reading of all records, from `beginReread` to the last slice of the sweep.
    package struct Reread: Sendable {
        fileprivate let users: UInt64
        fileprivate let sessions: UInt64
    }

    /// The number of slices of a sweep. Each slice takes the writer's lock for one shard.
    package static let sweepSlices = ShardedTable.shardCount

    /// Begins a reading of all records. An earlier reading ends without its sweep.
    package func beginReread() -> Reread {
        Reread(users: users.beginGeneration(), sessions: sessions.beginGeneration())
    }

    /// Removes the records of one slice that were not set since `reread` began. Does nothing after a later reading
    /// has begun.
    ///
    /// - Returns: The number of removed records.
    package func sweep(_ reread: Reread, slice: Int) -> Int {
        users.sweep(shard: slice, generation: reread.users)
            + sessions.sweep(shard: slice, generation: reread.sessions)
    }

    /// Removes the sessions of one slice that were not set since `reread` began.
    package func sweepSessions(_ reread: Reread, slice: Int) {
        _ = sessions.sweep(shard: slice, generation: reread.sessions)
    }

    /// Marks the users of one slice that were not set since `reread` began as kept.
    package func keepUsers(_ reread: Reread, slice: Int) {
        users.keep(shard: slice, generation: reread.users)
    }

    /// Marks the sessions of one slice that were not set since `reread` began as kept.
    package func keepSessions(_ reread: Reread, slice: Int) {
        sessions.keep(shard: slice, generation: reread.sessions)
    }

    /// The number of records that the store has lost.
    package var kept: (users: Int, sessions: Int) { (users.kept, sessions.kept) }
}
