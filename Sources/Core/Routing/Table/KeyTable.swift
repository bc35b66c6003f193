/// A flat hash table from (scope, bytes) to a number, with open addressing and at most half full. It is built once
/// and then only read.
///
/// A key is exact, or folded to match all keys that differ only in ASCII case. One lookup can find both.
struct KeyTable: Sendable {
    /// The result of a lookup; -1 if not found.
    struct Found {
        var exact: Int32 = -1
        var folded: Int32 = -1
    }

    private struct Entry {
        var scope: Int32 = 0
        /// -1 for a free slot.
        var value: Int32 = -1
        var hash: UInt32 = 0
        var start: UInt32 = 0
        var length: UInt16 = 0
        var isFolded = false
    }

    private var slots = [Entry](repeating: Entry(), count: 8)
    private var bytes: [UInt8] = []
    private(set) var count = 0
    /// The size of the longest key.
    private(set) var longestKey = 0

    /// Looks up a key. `hash` is the hash passed to `insert`, which must be equal for keys that differ only in case.
    @inline(__always)
    func find(scope: Int32, hash: UInt32, key: UnsafeRawBufferPointer) -> Found {
        var found = Found()
        var index = slot(scope, hash)
        while slots[index].value >= 0 {
            let entry = slots[index]
            if entry.hash == hash, entry.scope == scope, Int(entry.length) == key.count {
                if entry.isFolded {
                    if equals(entry, key, folding: true) { found.folded = entry.value }
                } else if equals(entry, key, folding: false) {
                    found.exact = entry.value
                }
            }
            index = (index + 1) & (slots.count - 1)
        }
        return found
    }

    /// Inserts a new key of at most 65,535 bytes. A folded key must be in lower case.
    mutating func insert(scope: Int32, hash: UInt32, key: [UInt8], isFolded: Bool, value: Int32) {
        count += 1
        if count * 2 > slots.count { grow() }
        let entry = Entry(
            scope: scope, value: value, hash: hash, start: UInt32(bytes.count), length: UInt16(key.count),
            isFolded: isFolded)
        bytes += key
        longestKey = max(longestKey, key.count)
        place(entry)
    }

    /// The maximum number of slots that a lookup probes.
    var longestProbe: Int {
        var longest = 1
        var run = 1
        // Two rounds, for a run that wraps around.
        for index in 0..<(2 * slots.count) {
            run = slots[index & (slots.count - 1)].value >= 0 ? run + 1 : 1
            longest = max(longest, run)
        }
        return longest
    }

    private mutating func grow() {
        let old = slots
        slots = [Entry](repeating: Entry(), count: old.count * 2)
        for entry in old where entry.value >= 0 { place(entry) }
    }

    private mutating func place(_ entry: Entry) {
        var index = slot(entry.scope, entry.hash)
        while slots[index].value >= 0 { index = (index + 1) & (slots.count - 1) }
        slots[index] = entry
    }

    @inline(__always)
    private func slot(_ scope: Int32, _ hash: UInt32) -> Int {
        let mixed = SegmentKey.mix(UInt64(UInt32(bitPattern: scope)) << 32, UInt64(hash))
        return Int(truncatingIfNeeded: mixed >> 24) & (slots.count - 1)
    }

    @inline(__always)
    private func equals(_ entry: Entry, _ key: UnsafeRawBufferPointer, folding: Bool) -> Bool {
        for index in 0..<key.count {
            let byte = folding ? PathBytes.lowercased(key[index]) : key[index]
            if bytes[Int(entry.start) + index] != byte { return false }
        }
        return true
    }
}
