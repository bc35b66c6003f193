import Synchronization

/// Counters that invalidate cached link owners. A counter is incremented with each change of a link in its bucket.
///
/// Links share counters by the hash of their names, so that memory is bounded. A collision costs one extra lookup.
/// The store writes the counters; all workers read them without a lock.
package final class LinkGenerations: Sendable {
    /// The number of counters, a power of two.
    package static let count = 4096

    private let counters: [Slot]

    private final class Slot: Sendable {
        let value = Atomic<UInt64>(1)
    }

    /// Creates counters with the value 1; no generation is 0.
    package init() {
        counters = (0..<Self.count).map { _ in Slot() }
    }

    /// Returns the index of the counter for a link's name.
    package static func place(of name: String) -> Int {
        // FNV-1a. Chosen collisions only cause extra lookups.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int(truncatingIfNeeded: (hash >> 32) ^ hash) & (count - 1)
    }

    /// Returns the current generation. A cached owner is invalid when it differs from the generation at the lookup.
    @inline(__always)
    package func generation(at place: Int) -> UInt64 {
        counters[place].value.load(ordering: .acquiring)
    }

    /// Records a change of the link with that name.
    package func changed(_ name: String) {
        counters[Self.place(of: name)].value.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// Invalidates all cached owners, after changes may have been missed.
    package func allChanged() {
        for counter in counters { counter.value.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }
}
