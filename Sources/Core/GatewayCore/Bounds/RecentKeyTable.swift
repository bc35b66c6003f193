import Atomics

/// A lock-free table of recently recorded keys with their last times, shared by all workers, in a fixed amount of
/// memory.
///
/// A key is a hash with a secret, such as one of ``TokenBucketTable/key(_:)``. It has eight adjacent slots. If all of
/// them have other keys, a new key replaces the one that was recorded first. Times are monotonic nanoseconds.
///
/// Words change one at a time. While a slot changes its key, the new key may have the old key's time.
package final class RecentKeyTable: Sendable {
    /// The minimum age of a time that is updated, in nanoseconds, so that frequent records seldom write.
    private static let precision: UInt64 = 1_000_000_000

    private typealias Cell = SlotGroups.Cell
    private let slots: SlotGroups

    /// Creates a table.
    ///
    /// - Parameter groups: The number of groups of eight keys, 128 bytes each; a power of two. Pages are allocated on
    ///   first use.
    package init(groups: Int) {
        slots = SlotGroups(groups: groups)
    }

    /// Records a key.
    package func record(_ key: UInt64, now: UInt64) {
        guard let (key, keys, times) = slots.group(of: key) else { return }
        var oldest = (place: 0, holder: UInt64.zero, time: UInt64.max)
        for place in 0..<SlotGroups.ways {
            let holder = Cell(at: keys + place).load(ordering: .acquiring)
            let time = Cell(at: times + place).load(ordering: .relaxed)
            if holder == key {
                if now > time, now - time >= Self.precision {
                    Cell(at: times + place).store(now, ordering: .relaxed)
                }
                return
            }
            if time < oldest.time { oldest = (place, holder, time) }
        }
        // If another worker claims the slot first, the key's next record finds another one.
        let (isClaimed, _) = Cell(at: keys + oldest.place).compareExchange(
            expected: oldest.holder, desired: key, ordering: .acquiringAndReleasing)
        if isClaimed { Cell(at: times + oldest.place).store(max(now, 1), ordering: .relaxed) }
    }

    /// Returns whether a key was recorded in the last `duration` nanoseconds.
    package func contains(_ key: UInt64, within duration: UInt64, now: UInt64) -> Bool {
        guard let (key, keys, times) = slots.group(of: key) else { return false }
        for place in 0..<SlotGroups.ways where Cell(at: keys + place).load(ordering: .acquiring) == key {
            let time = Cell(at: times + place).load(ordering: .relaxed)
            if time > now || now - time <= duration { return true }
        }
        return false
    }
}
