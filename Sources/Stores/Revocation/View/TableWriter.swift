/// The writer's state of a `ShardedTable`: counts, and replaced blocks that wait to be freed.
struct TableWriter: ~Copyable {
    private struct Shard {
        var used = 0
        var dead = 0
    }

    private struct Retired {
        var block: TableBlock
        /// The lanes that have not been seen without a reader since the block was replaced.
        var lanes: UInt64 = .max
    }

    private var shards = [Shard](repeating: Shard(), count: ShardedTable.shardCount)
    private var retired: [Retired] = []

    /// The number of keys with a record.
    private(set) var records = 0
    /// The number of keys with a faulty record.
    private(set) var faulty = 0
    /// The number of keys with a record that the store has lost.
    private(set) var kept = 0
    /// The generation of records that are set now.
    private(set) var generation: UInt64 = 0

    var retiredBytes: Int { retired.reduce(0) { $0 + $1.block.byteCount } }

    /// Sets the record of `key` in `block` or in its replacement.
    ///
    /// - Returns: The block to publish in place of `block`. `nil` if it was not rebuilt.
    mutating func set(
        _ key: StoreKey, hash: UInt64, to record: RecordWord, in block: TableBlock, shard: Int,
        rehash: (StoreKey) -> UInt64
    ) -> TableBlock? {
        let record = record.stamped(generation)
        if let old = block.replace(key, hash: hash, with: record) {
            count(from: old, to: record, shard: shard)
            guard TableGrowth.isWasteful(dead: shards[shard].dead, used: shards[shard].used) else { return nil }
            return rebuild(block, shard: shard, rehash: rehash)
        }
        if record == .none { return nil }
        return insert(key, hash: hash, record, into: block, shard: shard, rehash: rehash)
    }

    private mutating func insert(
        _ key: StoreKey, hash: UInt64, _ record: RecordWord, into block: TableBlock, shard: Int,
        rehash: (StoreKey) -> UInt64
    ) -> TableBlock? {
        var replacement: TableBlock?
        if TableGrowth.isFull(used: shards[shard].used + 1, capacity: block.capacity) {
            replacement = rebuild(block, shard: shard, rehash: rehash)
        }
        (replacement ?? block).insert(key, hash: hash, record)
        shards[shard].used += 1
        records += 1
        if record == .faulty { faulty += 1 }
        if record.isKept { kept += 1 }
        return replacement
    }

    private mutating func count(from old: RecordWord, to new: RecordWord, shard: Int) {
        let change = (new == .none ? 0 : 1) - (old == .none ? 0 : 1)
        records += change
        faulty += (new == .faulty ? 1 : 0) - (old == .faulty ? 1 : 0)
        kept += (new.isKept ? 1 : 0) - (old.isKept ? 1 : 0)
        shards[shard].dead -= change
    }

    /// Marks the records of `block` that were last set before the current generation as kept.
    mutating func keep(_ block: TableBlock) {
        kept += block.keepRecords(generation: generation) { !$0.isOf(generation) }
    }

    mutating func beginGeneration() -> UInt64 {
        generation += 1
        return generation
    }

    /// Removes the records of `block` that were last set before the current generation.
    ///
    /// - Returns: The number of removed records, and the block to publish in place of `block` if it was rebuilt.
    mutating func sweep(
        _ block: TableBlock, shard: Int, rehash: (StoreKey) -> UInt64
    ) -> (removed: Int, replacement: TableBlock?) {
        let removed = block.removeRecords { !$0.isOf(generation) }
        records -= removed.records
        faulty -= removed.faulty
        kept -= removed.kept
        shards[shard].dead += removed.records
        guard TableGrowth.isWasteful(dead: shards[shard].dead, used: shards[shard].used) else {
            return (removed.records, nil)
        }
        return (removed.records, rebuild(block, shard: shard, rehash: rehash))
    }

    /// Returns a new block with the records of `block` and room for one more.
    private mutating func rebuild(_ block: TableBlock, shard: Int, rehash: (StoreKey) -> UInt64) -> TableBlock {
        let live = shards[shard].used - shards[shard].dead
        let new = TableBlock(places: TableGrowth.places(live: live + 1, shard: shard))
        block.forEach { key, record in new.insert(key, hash: rehash(key), record) }
        shards[shard] = Shard(used: live, dead: 0)
        return new
    }

    mutating func retire(_ block: TableBlock) {
        retired.append(Retired(block: block))
    }

    /// Frees the replaced blocks that no reader can hold. The others wait for the next call.
    mutating func freeRetired(_ lanes: ReaderLanes) {
        if retired.isEmpty { return }
        for index in retired.indices {
            retired[index].lanes = lanes.busy(among: retired[index].lanes)
            if retired[index].lanes == 0 { retired[index].block.deallocate() }
        }
        retired.removeAll { $0.lanes == 0 }
    }

    /// Frees all replaced blocks, when the table is deallocated.
    mutating func deallocateRetired() {
        for item in retired { item.block.deallocate() }
        retired = []
    }
}
