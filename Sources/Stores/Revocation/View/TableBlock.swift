import Synchronization

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
