import Synchronization

/// A map from `StoreKey` to `RecordWord` for one writer and any number of concurrent readers.
///
/// Readers load one address and probe. They take no lock, allocate nothing, never retry and never wait for the
/// writer. To grow, the writer publishes a new block and frees the old one when `ReaderLanes` shows that no reader
/// can hold it. Shards grow independently, so that each growth copies little and only one shard has two blocks.
///
/// The table uses plain addresses instead of atomic strong references. Loading a strong reference retains it, in a
/// compare-and-exchange loop on a word that all workers share: that is not wait-free, and slow on many cores. Here a
/// reader writes only to its own lane.
package final class ShardedTable: Sendable {
    package static let shardBits = 6
    package static let shardCount = 1 << shardBits

    // Safe to share: the memory consists of atomics, lives as long as this object, and the pointer never changes.
    private nonisolated(unsafe) let blocks: UnsafeMutablePointer<Atomic<UInt64>>
    private let lanes: ReaderLanes
    private let seed: (UInt64, UInt64)
    private let writer: Mutex<TableWriter>
    /// The number of keys with a record. Lookups in an empty table return at once.
    private let occupied = Atomic<Int>(0)

    init(lanes: ReaderLanes) {
        var random = SystemRandomNumberGenerator()
        self.lanes = lanes
        seed = (random.next(), random.next())
        blocks = allocateAtomicWords(Self.shardCount)
        writer = Mutex(TableWriter())
        for shard in 0..<Self.shardCount {
            let block = TableBlock(places: TableGrowth.initialPlaces)
            blocks[shard].store(UInt64(block.address), ordering: .releasing)
        }
    }

    deinit {
        for shard in 0..<Self.shardCount { block(shard).deallocate() }
        writer.withLock { $0.deallocateRetired() }
        blocks.deallocate()
    }

    /// Whether no key has a record.
    @inline(__always)
    var isEmpty: Bool { occupied.load(ordering: .acquiring) == 0 }

    /// Returns the record of `key`.
    @inline(__always)
    func find(_ key: StoreKey, lane: Int) -> RecordWord {
        if isEmpty { return .none }
        lanes.enter(lane)
        defer { lanes.leave(lane) }
        return findEntered(key)
    }

    /// Returns the record of `key`. The caller must have entered a lane.
    @inline(__always)
    func findEntered(_ key: StoreKey) -> RecordWord {
        let hash = spread(key)
        return block(Self.shard(hash)).find(key, hash: hash << Self.shardBits)
    }

    /// Sets the record of `key`; `.none` removes it. After the return, every later `find` returns the new record.
    func set(_ key: StoreKey, to record: RecordWord) {
        let hash = spread(key)
        writer.withLock { writer in
            let shard = Self.shard(hash)
            let replacement = writer.set(
                key, hash: hash << Self.shardBits, to: record, in: block(shard), shard: shard,
                rehash: { spread($0) << Self.shardBits })
            if let replacement { publish(replacement, shard: shard, writer: &writer) }
            occupied.store(writer.records, ordering: .releasing)
            writer.freeRetired(lanes)
        }
    }

    /// Begins a generation, which separates later records from earlier ones.
    func beginGeneration() -> UInt64 {
        writer.withLock { $0.beginGeneration() }
    }

    /// Removes the records of one shard that were not set since `generation` began. Does nothing after a later
    /// generation has begun.
    ///
    /// - Returns: The number of removed records.
    func sweep(shard: Int, generation: UInt64) -> Int {
        writer.withLock { writer in
            guard writer.generation == generation else { return 0 }
            let swept = writer.sweep(block(shard), shard: shard, rehash: { spread($0) << Self.shardBits })
            if let replacement = swept.replacement { publish(replacement, shard: shard, writer: &writer) }
            occupied.store(writer.records, ordering: .releasing)
            writer.freeRetired(lanes)
            return swept.removed
        }
    }

    /// Marks the records of one shard that were not set since `generation` began as kept. Does nothing after a later
    /// generation has begun.
    func keep(shard: Int, generation: UInt64) {
        writer.withLock { writer in
            if writer.generation == generation { writer.keep(block(shard)) }
        }
    }

    /// Returns a copy of the records of one shard.
    func records(shard: Int) -> [(key: StoreKey, word: RecordWord)] {
        writer.withLock { _ in
            var records: [(key: StoreKey, word: RecordWord)] = []
            block(shard).forEach { records.append(($0, $1)) }
            return records
        }
    }

    /// The number of keys with a record that the store has lost.
    package var kept: Int { writer.withLock { $0.kept } }

    /// Returns the stored word of `key`, for the writing side.
    package func word(_ key: StoreKey) -> RecordWord { find(key, lane: 0) }

    /// The number of keys with a faulty record.
    var faulty: Int { writer.withLock { $0.faulty } }

    /// The number of keys with a record, and the size of the table in bytes, including blocks that wait to be freed.
    var usage: (records: Int, bytes: Int) {
        writer.withLock { writer in
            writer.freeRetired(lanes)
            let bytes = (0..<Self.shardCount).reduce(0) { $0 + block($1).byteCount }
            return (writer.records, bytes + writer.retiredBytes)
        }
    }

    private func publish(_ new: TableBlock, shard: Int, writer: inout TableWriter) {
        let old = block(shard)
        blocks[shard].store(UInt64(new.address), ordering: .sequentiallyConsistent)
        writer.retire(old)
    }

    @inline(__always)
    private func block(_ shard: Int) -> TableBlock {
        TableBlock(address: UInt(truncatingIfNeeded: blocks[shard].load(ordering: .sequentiallyConsistent)))
    }

    @inline(__always)
    private static func shard(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> UInt64(64 - shardBits))
    }

    /// Hashes a key with a random seed, so that clients cannot choose uids that collide.
    @inline(__always)
    private func spread(_ key: StoreKey) -> UInt64 {
        let product = (key.high ^ seed.0).multipliedFullWidth(by: key.low ^ seed.1)
        return product.high ^ product.low
    }
}
