import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open-addressing table with a fixed number of slots. A slot has three words: the lower word of the key, the
/// upper word, and the record.
///
/// A lookup begins at the slot of the key's hash and ends at the key or at the first free slot. The words of a slot
/// are adjacent, so that a hit usually waits for memory once.
///
/// A slot is filled once: first the record and the upper word, then the lower word with release ordering, which
/// readers load with acquire ordering. The key never changes afterwards, and the record is replaced atomically. At
/// least one slot is always free, so every lookup ends.
struct TableBlock {
    /// A cache line before the first slot. Its first word is the number of slots.
    private static let headerWords = 8
    private static let wordsPerPlace = 3

    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    init(places: Int) {
        words = TableMemory.allocate(words: Self.headerWords + places * Self.wordsPerPlace)
        words[0].store(UInt64(places), ordering: .relaxed)
    }

    @inline(__always)
    init(address: UInt) {
        // The address comes from `address` below, so it is never 0.
        words = UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
    }

    var address: UInt { UInt(bitPattern: words) }

    var capacity: Int { Int(words[0].load(ordering: .relaxed)) }

    var byteCount: Int { (Self.headerWords + capacity * Self.wordsPerPlace) * 8 }

    func deallocate() {
        TableMemory.deallocate(words, words: Self.headerWords + capacity * Self.wordsPerPlace)
    }

    /// Returns the record of `key`.
    @inline(__always)
    func find(_ key: StoreKey, hash: UInt64) -> RecordWord {
        let place = place(of: key, hash: hash)
        return place.isTaken ? RecordWord(bits: place.record[0].load(ordering: .acquiring)) : .none
    }

    /// Replaces the record of `key`.
    ///
    /// - Returns: The previous record. `nil` if the key has no slot.
    func replace(_ key: StoreKey, hash: UInt64, with record: RecordWord) -> RecordWord? {
        let place = place(of: key, hash: hash)
        guard place.isTaken else { return nil }
        let old = RecordWord(bits: place.record[0].load(ordering: .relaxed))
        place.record[0].store(record.bits, ordering: .releasing)
        return old
    }

    /// Fills a free slot for `key`, which must not have one. Another slot must remain free.
    func insert(_ key: StoreKey, hash: UInt64, _ record: RecordWord) {
        let place = place(of: key, hash: hash)
        place.record[0].store(record.bits, ordering: .relaxed)
        place.high[0].store(key.high, ordering: .relaxed)
        place.low[0].store(key.low, ordering: .releasing)
    }

    /// Calls `body` with each key that has a record.
    func forEach(_ body: (StoreKey, RecordWord) -> Void) {
        forEachPlace { place, low, record in
            body(StoreKey(high: place.high[0].load(ordering: .relaxed), low: low), record)
        }
    }

    /// Removes the records for which `isGone` returns true. Their keys keep their slots.
    ///
    /// - Returns: The number of removed records, and how many of them were faulty and kept.
    func removeRecords(where isGone: (RecordWord) -> Bool) -> (records: Int, faulty: Int, kept: Int) {
        var removed = (records: 0, faulty: 0, kept: 0)
        forEachPlace { place, _, record in
            guard isGone(record) else { return }
            place.record[0].store(RecordWord.none.bits, ordering: .releasing)
            removed.records += 1
            if record == .faulty { removed.faulty += 1 }
            if record.isKept { removed.kept += 1 }
        }
        return removed
    }

    /// Marks the records for which `isMissing` returns true as kept, with `generation`.
    ///
    /// - Returns: The number of records that were not marked before.
    func keepRecords(generation: UInt64, where isMissing: (RecordWord) -> Bool) -> Int {
        var kept = 0
        forEachPlace { place, _, record in
            guard isMissing(record) else { return }
            if !record.isKept { kept += 1 }
            place.record[0].store(record.keptByView.stamped(generation).bits, ordering: .releasing)
        }
        return kept
    }

    /// Calls `body` with each slot that has a record, and the lower word of its key.
    private func forEachPlace(_ body: (Place, UInt64, RecordWord) -> Void) {
        for index in 0..<capacity {
            let place = Place(words: words + (Self.headerWords + index * Self.wordsPerPlace), isTaken: true)
            let low = place.low[0].load(ordering: .relaxed)
            let record = RecordWord(bits: place.record[0].load(ordering: .relaxed))
            guard low != 0, record != .none else { continue }
            body(place, low, record)
        }
    }

    private struct Place {
        let words: UnsafeMutablePointer<Atomic<UInt64>>
        let isTaken: Bool

        var low: UnsafeMutablePointer<Atomic<UInt64>> { words }
        var high: UnsafeMutablePointer<Atomic<UInt64>> { words + 1 }
        var record: UnsafeMutablePointer<Atomic<UInt64>> { words + 2 }
    }

    /// Returns the slot of the key, or the free slot where it would be inserted.
    @inline(__always)
    private func place(of key: StoreKey, hash: UInt64) -> Place {
        let count = words[0].load(ordering: .relaxed)
        let first = words + Self.headerWords
        let end = first + Int(truncatingIfNeeded: count) &* Self.wordsPerPlace
        let number = Int(truncatingIfNeeded: hash.multipliedFullWidth(by: count).high)
        var place = first + number &* Self.wordsPerPlace
        while true {
            let low = place[0].load(ordering: .acquiring)
            if low == 0 { return Place(words: place, isTaken: false) }
            if low == key.low, place[1].load(ordering: .relaxed) == key.high {
                return Place(words: place, isTaken: true)
            }
            place += Self.wordsPerPlace
            if place == end { place = first }
        }
    }
}

/// The rules for rebuilding a shard.
///
/// A shard is at most 3/4 full. Beyond that, misses, which are the common result, probe many slots. It grows by
/// little, since memory is bounded for 10 million users. Shards grow to different sizes, so that evenly filled shards
/// do not all grow at once.
enum TableGrowth {
    static let initialPlaces = 16

    /// Returns whether the number of used slots, with or without a record, is too high.
    static func isFull(used: Int, capacity: Int) -> Bool {
        4 * used > 3 * capacity
    }

    /// Returns whether so many used slots have no record that the shard should be rebuilt.
    static func isWasteful(dead: Int, used: Int) -> Bool {
        dead > 8 && 2 * dead > used
    }

    /// Returns the capacity of a rebuilt shard with `live` records, so that it is 56 to 68 % full.
    static func places(live: Int, shard: Int) -> Int {
        let percent = 56 + 4 * (shard % 4)
        return max(initialPlaces, (100 * live + percent - 1) / percent)
    }
}

/// The memory of blocks.
///
/// A large block has its own mapping, aligned to a huge page, with a request for huge pages. Otherwise a lookup among
/// millions of users also waits for page table walks. Freed memory returns to the system at once.
enum TableMemory {
    /// The size of a huge page, and the minimum size of a mapping.
    static let hugePage = 2 << 20

    /// Allocates `count` atomic words, all 0.
    static func allocate(words count: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        if count * 8 < hugePage { return allocateAtomicWords(count) }
        // New pages are zeroed, and zeroed memory is a valid atomic 0.
        return map(count * 8).bindMemory(to: Atomic<UInt64>.self, capacity: count)
    }

    /// Frees the memory that `allocate` returned for the same `count`.
    static func deallocate(_ words: UnsafeMutablePointer<Atomic<UInt64>>, words count: Int) {
        if count * 8 < hugePage { return words.deallocate() }
        munmap(words, count * 8)
    }

    private static func map(_ size: Int) -> UnsafeMutableRawPointer {
        let total = size + hugePage
        guard let start = mmap(nil, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else {
            // Without memory the process cannot continue; the standard library does the same.
            fatalError("out of memory: a table of \(size) bytes")
        }
        let memory = start.alignedUp(toMultipleOf: hugePage)
        let end = (memory + size).alignedUp(toMultipleOf: sysconf(Int32(_SC_PAGESIZE)))
        if memory > start { munmap(start, memory - start) }
        if start + total > end { munmap(end, start + total - end) }
        // A hint: without huge pages, the table is slower but correct.
        madvise(memory, size, MADV_HUGEPAGE)
        return memory
    }
}
