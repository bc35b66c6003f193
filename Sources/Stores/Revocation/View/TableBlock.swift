import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One open-addressing table of a fixed number of places of three words: the lower word of the key, the upper one, the
/// record.
///
/// A lookup begins at the place that the key's hash names and ends at the key or at the first free place. What it reads
/// lies side by side, so that it waits for the memory once: with keys and records apart, a hit waited twice.
///
/// A place is filled once: record and upper key word first, then the lower key word with release ordering, which is
/// what readers look for with acquire ordering. From then on its key never changes and its record is replaced whole.
/// There is always a free place, so every lookup ends.
struct TableBlock {
    /// A cache line before the first place; its first word is the number of places.
    private static let headerWords = 8
    private static let wordsPerPlace = 3

    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    init(places: Int) {
        words = TableMemory.allocate(words: Self.headerWords + places * Self.wordsPerPlace)
        words[0].store(UInt64(places), ordering: .relaxed)
    }

    @inline(__always)
    init(address: UInt) {
        // An address comes from `address` below, so it is never 0.
        words = UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
    }

    var address: UInt { UInt(bitPattern: words) }

    var capacity: Int { Int(words[0].load(ordering: .relaxed)) }

    var byteCount: Int { (Self.headerWords + capacity * Self.wordsPerPlace) * 8 }

    func deallocate() {
        TableMemory.deallocate(words, words: Self.headerWords + capacity * Self.wordsPerPlace)
    }

    /// The record under `key`.
    @inline(__always)
    func find(_ key: StoreKey, hash: UInt64) -> RecordWord {
        let place = place(of: key, hash: hash)
        return place.isTaken ? RecordWord(bits: place.record[0].load(ordering: .acquiring)) : .none
    }

    /// Replaces the record under `key`; nil if the key has no place.
    ///
    /// - Returns: the record that was there.
    func replace(_ key: StoreKey, hash: UInt64, with record: RecordWord) -> RecordWord? {
        let place = place(of: key, hash: hash)
        guard place.isTaken else { return nil }
        let old = RecordWord(bits: place.record[0].load(ordering: .relaxed))
        place.record[0].store(record.bits, ordering: .releasing)
        return old
    }

    /// Takes a free place for `key`, which must have none yet; one more place must stay free.
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

    /// Takes away the records that `isGone` tells; their keys keep their places.
    ///
    /// - Returns: how many records went, and how many of them were faulty, and kept.
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

    /// Marks the records that `isMissing` tells as kept by the view, and read in `generation`.
    ///
    /// - Returns: how many were not kept before.
    func keepRecords(generation: UInt64, where isMissing: (RecordWord) -> Bool) -> Int {
        var kept = 0
        forEachPlace { place, _, record in
            guard isMissing(record) else { return }
            if !record.isKept { kept += 1 }
            place.record[0].store(record.keptByView.stamped(generation).bits, ordering: .releasing)
        }
        return kept
    }

    /// Calls `body` with each place that has a record, and the lower word of its key.
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

    /// The key's place, or the free one where it would be.
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

/// When a shard of a table is rebuilt, and how large it then is.
///
/// A shard is at most 3/4 full: beyond, the misses, which are the common answer, look at many places. It grows by a
/// little, since memory is bounded for 10 million users, and not all shards by as much, so that the shards of an evenly
/// filled table do not all grow at the same moment.
enum TableGrowth {
    static let initialPlaces = 16

    /// Whether `used` taken places, with or without a record, are too many.
    static func isFull(used: Int, capacity: Int) -> Bool {
        4 * used > 3 * capacity
    }

    /// Whether so many of the taken places lost their record that the shard should be rebuilt without them.
    static func isWasteful(dead: Int, used: Int) -> Bool {
        dead > 8 && 2 * dead > used
    }

    /// The size of a rebuilt shard that has `live` records: 56 to 68 % full.
    static func places(live: Int, shard: Int) -> Int {
        let percent = 56 + 4 * (shard % 4)
        return max(initialPlaces, (100 * live + percent - 1) / percent)
    }
}

/// Where a block's words live.
///
/// A large block is mapped by itself, begins at a huge page and asks for huge pages: a look-up among millions of users
/// would else wait for the processor's page tables too. What is freed goes back to the system at once, whatever else
/// the process holds.
enum TableMemory {
    /// The size of a huge page, and the least that is mapped.
    static let hugePage = 2 << 20

    /// `count` atomic words, all 0.
    static func allocate(words count: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        if count * 8 < hugePage { return allocateAtomicWords(count) }
        // Fresh pages are 0, which is what an atomic 0 is made of.
        return map(count * 8).bindMemory(to: Atomic<UInt64>.self, capacity: count)
    }

    /// Frees what `allocate` gave for the same `count`.
    static func deallocate(_ words: UnsafeMutablePointer<Atomic<UInt64>>, words count: Int) {
        if count * 8 < hugePage { return words.deallocate() }
        munmap(words, count * 8)
    }

    private static func map(_ size: Int) -> UnsafeMutableRawPointer {
        let total = size + hugePage
        guard let start = mmap(nil, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else {
            // As the standard library does: without memory there is nothing to go on with.
            fatalError("out of memory: a table of \(size) bytes")
        }
        let memory = start.alignedUp(toMultipleOf: hugePage)
        let end = (memory + size).alignedUp(toMultipleOf: sysconf(Int32(_SC_PAGESIZE)))
        if memory > start { munmap(start, memory - start) }
        if start + total > end { munmap(end, start + total - end) }
        // Advice: where the system has no huge pages, the table is slower and as right.
        madvise(memory, size, MADV_HUGEPAGE)
        return memory
    }
}
