import Synchronization

/// A map from `StoreKey` to `RecordWord` that any number of threads read while one writes.
///
/// Readers load one address and probe: no lock, no allocation, no retry, nothing that a writer could make them wait
/// for. Growth builds a new block, publishes its address and frees the old one when `ReaderLanes` tells that no reader
/// can hold it. The table is cut into shards that grow on their own, so that growth copies little at a time and the
/// memory of two generations is never held for more than one shard.
///
/// Why the Synchronization module and plain addresses, rather than an atomic strong reference: loading a strong
/// reference retains, in a loop of compare-and-exchange on a word that all workers share. That is neither wait-free nor
/// cheap on many cores. Here a reader only writes to its own lane.
package final class ShardedTable: Sendable {
    package static let shardBits = 6
    package static let shardCount = 1 << shardBits

    // Safe to share: the memory is made of atomics, lives as long as this object and the pointer never changes.
    private nonisolated(unsafe) let blocks: UnsafeMutablePointer<Atomic<UInt64>>
    private let lanes: ReaderLanes
    private let seed: (UInt64, UInt64)
    private let writer: Mutex<TableWriter>
    /// How many keys have a record: where none has, nothing need be looked for.
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

    /// The record under `key`.
    @inline(__always)
    func find(_ key: StoreKey, lane: Int) -> RecordWord {
        if isEmpty { return .none }
        lanes.enter(lane)
        defer { lanes.leave(lane) }
        return findEntered(key)
    }

    /// The record under `key`; only between `enter` and `leave` of a lane.
    @inline(__always)
    func findEntered(_ key: StoreKey) -> RecordWord {
        let hash = spread(key)
        return block(Self.shard(hash)).find(key, hash: hash << Self.shardBits)
    }

    /// Sets the record under `key`; `.none` removes it. When this returns, every later `find` sees it.
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

    /// Begins a generation: what is set from now on is told from what was set before.
    func beginGeneration() -> UInt64 {
        writer.withLock { $0.beginGeneration() }
    }

    /// Removes the records of one shard that were not set since `generation` began; none once a later one has begun.
    ///
    /// - Returns: how many were removed.
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

    /// Keeps the records of one shard that were not set since `generation` began, and marks them; none once a later one has begun.
    func keep(shard: Int, generation: UInt64) {
        writer.withLock { writer in
            if writer.generation == generation { writer.keep(block(shard)) }
        }
    }

    /// How many keys have a record that the store does not hold any more.
    package var kept: Int { writer.withLock { $0.kept } }

    /// The record under `key`, as it is kept. For the writing side.
    package func word(_ key: StoreKey) -> RecordWord { find(key, lane: 0) }

    /// How many keys have a faulty record.
    var faulty: Int { writer.withLock { $0.faulty } }

    /// How many keys have a record, and how much memory the table takes, tables that wait to be freed included.
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

    /// Where a key is looked for. Seeded, so that nobody can choose uids whose keys crowd one place.
    @inline(__always)
    private func spread(_ key: StoreKey) -> UInt64 {
        let product = (key.high ^ seed.0).multipliedFullWidth(by: key.low ^ seed.1)
        return product.high ^ product.low
    }
}
