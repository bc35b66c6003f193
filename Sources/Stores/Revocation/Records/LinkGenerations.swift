import Synchronization

/// Tells whether what a worker keeps of a link's owner still holds: a counter that moves with each change of any link of its kind.
///
/// Links share counters by the hash of their names, so that memory is bounded and a change costs others little: they ask again. Written by the
/// store, read by all workers without a lock.
package final class LinkGenerations: Sendable {
    /// How many counters: a power of two.
    package static let count = 4096

    private let counters: [Slot]

    private final class Slot: Sendable {
        let value = Atomic<UInt64>(1)
    }

    /// All at their beginning; no generation is 0.
    package init() {
        counters = (0..<Self.count).map { _ in Slot() }
    }

    /// The counter's place for a link's name.
    package static func place(of name: String) -> Int {
        // FNV-1a: who can choose names gains nothing by making others ask again.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int(truncatingIfNeeded: (hash >> 32) ^ hash) & (count - 1)
    }

    /// What is kept from before is worth nothing once this differs.
    @inline(__always)
    package func generation(at place: Int) -> UInt64 {
        counters[place].value.load(ordering: .acquiring)
    }

    /// A link of that name changed.
    package func changed(_ name: String) {
        counters[Self.place(of: name)].value.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// Nobody knows what changed: the changes were not followed for a time.
    package func allChanged() {
        for counter in counters { counter.value.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }
}
