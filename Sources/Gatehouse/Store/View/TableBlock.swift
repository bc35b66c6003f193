import Synchronization

/// One open-addressing table with linear probing, of a fixed number of places: 24 bytes a place, two words of key and
/// one of record.
///
/// A place is filled once: record and upper key word first, then the lower key word with release ordering, which is
/// what readers look for with acquire ordering. From then on its key never changes and its record is replaced whole.
/// There is always a free place, so every probe ends.
struct TableBlock {
    /// Words before the first place: the capacity.
    private static let headerWords = 16
    private static let wordsPerPlace = 3

    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    init(capacity: Int) {
        words = allocateAtomicWords(Self.headerWords + capacity * Self.wordsPerPlace)
        words[0].store(UInt64(capacity), ordering: .relaxed)
    }

    @inline(__always)
    init(address: UInt) {
        // An address comes from `address` below, so it is never 0.
        words = UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
    }

    var address: UInt { UInt(bitPattern: words) }

    @inline(__always)
    var capacity: Int { Int(truncatingIfNeeded: words[0].load(ordering: .relaxed)) }

    var byteCount: Int { (Self.headerWords + capacity * Self.wordsPerPlace) * 8 }

    func deallocate() {
        words.deallocate()
    }

    /// The record under `key`, from the place where `hash` begins to look.
    @inline(__always)
    func find(_ key: StoreKey, hash: UInt64) -> RecordWord {
        let place = probe(key, hash: hash)
        return place.isTaken ? RecordWord(bits: place.words[2].load(ordering: .acquiring)) : .none
    }

    /// Replaces the record under `key`. False if the key has no place.
    func replace(_ key: StoreKey, hash: UInt64, with record: RecordWord) -> (found: Bool, old: RecordWord) {
        let place = probe(key, hash: hash)
        guard place.isTaken else { return (false, .none) }
        let old = RecordWord(bits: place.words[2].load(ordering: .relaxed))
        place.words[2].store(record.bits, ordering: .releasing)
        return (true, old)
    }

    /// Takes a free place for `key`, which must have none yet; one more place must stay free.
    func insert(_ key: StoreKey, hash: UInt64, _ record: RecordWord) {
        let place = probe(key, hash: hash)
        place.words[2].store(record.bits, ordering: .relaxed)
        place.words[1].store(key.high, ordering: .relaxed)
        place.words[0].store(key.low, ordering: .releasing)
    }

    /// Calls `body` with each key that has a record.
    func forEach(_ body: (StoreKey, RecordWord) -> Void) {
        for index in 0..<capacity {
            let place = words + (Self.headerWords + index * Self.wordsPerPlace)
            let low = place[0].load(ordering: .relaxed)
            let record = RecordWord(bits: place[2].load(ordering: .relaxed))
            guard low != 0, record != .none else { continue }
            body(StoreKey(high: place[1].load(ordering: .relaxed), low: low), record)
        }
    }

    private struct Place {
        var words: UnsafeMutablePointer<Atomic<UInt64>>
        var isTaken: Bool
    }

    /// The key's place, or the free one where it would be.
    @inline(__always)
    private func probe(_ key: StoreKey, hash: UInt64) -> Place {
        let capacity = self.capacity
        let first = words + Self.headerWords
        let end = first + capacity &* Self.wordsPerPlace
        var place =
            first + Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
            &* Self.wordsPerPlace
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
