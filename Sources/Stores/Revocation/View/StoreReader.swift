import Synchronization

/// A worker's way to read the `StoreView`: the same answers, without sharing a cache line with other workers.
///
/// Any thread may use it at any time; two that use the same one are slower, not wrong.
package struct StoreReader: Sendable {
    /// What is read.
    package let view: StoreView
    private let lane: Int

    package init(view: StoreView, lane: Int) {
        self.view = view
        self.lane = lane
    }

    /// What is known of a user. Means something only while `view.age` is not too great.
    package func user(_ key: StoreKey) -> UserLookup {
        view.user(key, lane: lane)
    }

    /// What is known of a user and of a session: as ``user(_:)`` and ``session(_:)``, at the cost of one look.
    @inline(__always)
    package func records(user: StoreKey, session: StoreKey) -> (UserLookup, SessionLookup) {
        view.records(user: user, session: session, lane: lane)
    }

    /// What is known of a session. Means something only while `view.age` is not too great.
    package func session(_ key: StoreKey) -> SessionLookup {
        view.session(key, lane: lane)
    }
}

/// Counts who is reading, so that the writer knows when nobody can hold a table that it replaced.
///
/// A reader adds 1 to a lane before it loads the address of a table and takes it back when it has its answer: two
/// atomic additions, whatever the writer does. The writer publishes the new table first and then looks at the lanes. A
/// lane that it sees at 0, even once, holds no reader of the old table: by the single order of sequentially consistent
/// operations a reader that it did not see comes later, and so loads the new address. One lane a worker keeps the
/// lane's cache line with that worker; sharing one is slower and as safe.
final class ReaderLanes: Sendable {
    /// One bit of a mask for each lane.
    static let count = 64

    /// 128 bytes apart: processors fetch lines in pairs.
    private static let stride = 16

    // Safe to share: the memory is made of atomics, lives as long as this object and the pointer never changes.
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

    /// Which of the lanes in `mask` have a reader now.
    func busy(among mask: UInt64) -> UInt64 {
        var busy: UInt64 = 0
        for lane in 0..<Self.count where mask & (1 << lane) != 0 {
            if words[lane * Self.stride].load(ordering: .sequentiallyConsistent) != 0 { busy |= 1 << lane }
        }
        return busy
    }
}

/// Memory for `count` atomic words, all 0, aligned to 128 bytes.
func allocateAtomicWords(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 128)
    let words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    return words
}
