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
