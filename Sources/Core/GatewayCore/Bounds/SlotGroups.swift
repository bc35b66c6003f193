import Atomics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The memory of a lock-free table: groups of slots, each with a key (0 for none) and a time.
///
/// A key is a hash with a secret, whose low bits name its group.
struct SlotGroups: ~Copyable, Sendable {
    typealias Cell = UnsafeAtomic<UInt64>
    typealias Cells = UnsafeMutablePointer<Cell.Storage>

    /// The number of slots of a group.
    static let ways = 8

    /// A key that is not 0, with the keys and the times of its group.
    typealias Group = (key: UInt64, keys: Cells, times: Cells)

    private let mask: UInt64
    /// For each group, its keys and then its times. The pointer is not `Sendable`, but its memory is only accessed
    /// atomically and lives as long as this value.
    private nonisolated(unsafe) let cells: Cells?

    /// Allocates empty groups.
    ///
    /// - Parameter groups: The number of groups of 128 bytes; a power of two. Pages are allocated on first use.
    init(groups: Int) {
        mask = UInt64(groups - 1)
        // Zeroed memory equals `Storage(0)`. It is not initialized, since that would touch each page.
        let memory = calloc(groups * Self.ways * 2, MemoryLayout<Cell.Storage>.stride)
        cells = memory?.bindMemory(to: Cell.Storage.self, capacity: groups * Self.ways * 2)
    }

    deinit {
        free(cells)
    }

    /// Returns the group of a key. `nil` if there was no memory.
    func group(of key: UInt64) -> Group? {
        guard let cells else { return nil }
        let key = key == 0 ? 1 : key
        let keys = cells + Int(truncatingIfNeeded: key & mask) * (Self.ways * 2)
        return (key, keys, keys + Self.ways)
    }
}
