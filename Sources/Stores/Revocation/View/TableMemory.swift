import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where a block's words live.
///
/// A large block is mapped by itself, begins at a huge page and asks for huge pages: a look-up among millions of users
/// would else wait for the processor's page tables too. What is freed goes back to the system at once, whatever else
/// the process holds.
enum TableMemory {
    /// The size of a huge page, and the least that is mapped.
    static let hugePage = 2 << 20

    /// `count` atomic words, all 0.
    static func allocate(words count: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        if count * 8 < hugePage { return allocateAtomicWords(count) }
        // Fresh pages are 0, which is what an atomic 0 is made of.
        return map(count * 8).bindMemory(to: Atomic<UInt64>.self, capacity: count)
    }

    /// Frees what `allocate` gave for the same `count`.
    static func deallocate(_ words: UnsafeMutablePointer<Atomic<UInt64>>, words count: Int) {
        if count * 8 < hugePage { return words.deallocate() }
        munmap(words, count * 8)
    }

    private static func map(_ size: Int) -> UnsafeMutableRawPointer {
        let total = size + hugePage
        guard let start = mmap(nil, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else {
            // As the standard library does: without memory there is nothing to go on with.
            fatalError("out of memory: a table of \(size) bytes")
        }
        let memory = start.alignedUp(toMultipleOf: hugePage)
        let end = (memory + size).alignedUp(toMultipleOf: sysconf(Int32(_SC_PAGESIZE)))
        if memory > start { munmap(start, memory - start) }
        if start + total > end { munmap(end, start + total - end) }
        // Advice: where the system has no huge pages, the table is slower and as right.
        madvise(memory, size, MADV_HUGEPAGE)
        return memory
    }
}
