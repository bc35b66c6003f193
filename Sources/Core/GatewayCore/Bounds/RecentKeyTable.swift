import Atomics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A lock-free table of recently recorded keys with their last times, shared by all workers, in a fixed amount of
/// memory.
///
/// A key is a hash with a secret, such as one of ``TokenBucketTable/key(_:)``. It has eight adjacent slots. If all of
/// them have other keys, a new key replaces the one that was recorded first. Times are monotonic nanoseconds.
///
/// Words change one at a time. While a slot changes its key, the new key may have the old key's time.
package final class RecentKeyTable: Sendable {
    /// The number of slots of a key.
    package static let ways = 8
    /// The minimum age of a time that is updated, in nanoseconds, so that frequent records seldom write.
    private static let precision: UInt64 = 1_000_000_000

    private typealias Cell = UnsafeAtomic<UInt64>
    private let mask: UInt64
    /// For each group, eight keys (0 for none) and eight times. The pointer is not `Sendable`, but its memory is only
    /// accessed atomically and lives as long as the table.
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Cell.Storage>?

    /// Creates a table.
    ///
    /// - Parameter groups: The number of groups of eight keys, 128 bytes each; a power of two. Pages are allocated on
    ///   first use.
    package init(groups: Int) {
        mask = UInt64(groups - 1)
        // Zeroed memory equals `Storage(0)`. It is not initialized, since that would touch each page.
        let memory = calloc(groups * Self.ways * 2, MemoryLayout<Cell.Storage>.stride)
        cells = memory?.bindMemory(to: Cell.Storage.self, capacity: groups * Self.ways * 2)
    }

    deinit {
        free(cells)
    }

    /// Records a key.
    package func record(_ key: UInt64, now: UInt64) {
        guard let (key, keys) = slots(of: key) else { return }
        var oldest = (place: 0, holder: UInt64.zero, time: UInt64.max)
        for place in 0..<Self.ways {
            let holder = Cell(at: keys + place).load(ordering: .acquiring)
            let time = Cell(at: keys + Self.ways + place).load(ordering: .relaxed)
            if holder == key {
                if now > time, now - time >= Self.precision {
                    Cell(at: keys + Self.ways + place).store(now, ordering: .relaxed)
                }
                return
            }
            if time < oldest.time { oldest = (place, holder, time) }
        }
        // If another worker claims the slot first, the key's next record finds another one.
        let (isClaimed, _) = Cell(at: keys + oldest.place).compareExchange(
            expected: oldest.holder, desired: key, ordering: .acquiringAndReleasing)
        if isClaimed { Cell(at: keys + Self.ways + oldest.place).store(max(now, 1), ordering: .relaxed) }
    }

    /// Returns whether a key was recorded in the last `duration` nanoseconds.
    package func contains(_ key: UInt64, within duration: UInt64, now: UInt64) -> Bool {
        guard let (key, keys) = slots(of: key) else { return false }
        for place in 0..<Self.ways where Cell(at: keys + place).load(ordering: .acquiring) == key {
            let time = Cell(at: keys + Self.ways + place).load(ordering: .relaxed)
            if time > now || now - time <= duration { return true }
        }
        return false
    }

    private func slots(of key: UInt64) -> (key: UInt64, keys: UnsafeMutablePointer<Cell.Storage>)? {
        guard let cells else { return nil }
        let key = key == 0 ? 1 : key
        return (key, cells + Int(truncatingIfNeeded: key & mask) * (Self.ways * 2))
    }
}
