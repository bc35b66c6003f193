import Synchronization

/// A worker's reader of the `StoreView`. Workers with separate readers share no cache line.
///
/// Concurrent use of one reader is safe but slower.
package struct StoreReader: Sendable {
    /// The view.
    package let view: StoreView
    private let lane: Int

    package init(view: StoreView, lane: Int) {
        self.view = view
        self.lane = lane
    }

    /// Looks up a user. Valid only while `view.age` is within bounds.
    package func user(_ key: StoreKey) -> UserLookup {
        view.user(key, lane: lane)
    }

    /// Looks up a user and a session, like ``user(_:)`` and ``session(_:)``, with one entry to the lane.
    @inline(__always)
    package func records(user: StoreKey, session: StoreKey) -> (UserLookup, SessionLookup) {
        view.records(user: user, session: session, lane: lane)
    }

    /// Looks up a session. Valid only while `view.age` is within bounds.
    package func session(_ key: StoreKey) -> SessionLookup {
        view.session(key, lane: lane)
    }
}

/// Counters of active readers, from which the writer learns when a replaced table can be freed.
///
/// A reader increments a lane before it loads the address of a table, and decrements it after the lookup. The writer
/// publishes the new table and then checks the lanes. A lane that it has seen at 0 once holds no reader of the old
/// table: in the single order of sequentially consistent operations, any reader that it did not see loads the new
/// address. With one lane for each worker, the lane's cache line stays with that worker; sharing a lane is slower but
/// safe.
final class ReaderLanes: Sendable {
    /// The number of lanes, one for each bit of a mask.
    static let count = 64

    /// The distance of lanes in words: 128 bytes, since processors fetch cache lines in pairs.
    private static let stride = 16

    // Safe to share: the memory consists of atomics, lives as long as this object, and the pointer never changes.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        words = allocateAtomicWords(Self.count * Self.stride)
    }

    deinit {
        words.deallocate()
    }

    @inline(__always)
    func enter(_ lane: Int) {
        words[(lane & (Self.count - 1)) &* Self.stride].wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    @inline(__always)
    func leave(_ lane: Int) {
        words[(lane & (Self.count - 1)) &* Self.stride].wrappingSubtract(1, ordering: .releasing)
    }

    /// Returns the lanes in `mask` that have a reader now.
    func busy(among mask: UInt64) -> UInt64 {
        var busy: UInt64 = 0
        for lane in 0..<Self.count where mask & (1 << lane) != 0 {
            if words[lane * Self.stride].load(ordering: .sequentiallyConsistent) != 0 { busy |= 1 << lane }
        }
        return busy
    }
}

/// Allocates `count` atomic words, all 0, aligned to 128 bytes.
func allocateAtomicWords(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 128)
    let words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    return words
}
