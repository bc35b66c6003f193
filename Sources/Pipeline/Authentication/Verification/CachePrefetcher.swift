import CPrefetch

/// The likely addresses of cached entries, by the last bytes of their tokens. Prefetching lets them arrive in the
/// processor's caches while the token is still being hashed. With thousands of users no entry is in these caches, and
/// each part of an entry would stall separately.
///
/// The addresses are only hints: no data is ever read through them. A wrong or outdated hint costs a little time and
/// affects no decision.
final class CachePrefetcher {
    private struct Hint {
        var entry: UInt = 0
        var lines: UInt = 0
        /// The addresses of its set in the cache.
        var tags: UInt = 0
        var slots: UInt = 0
    }

    /// The size of a cache line, in bytes.
    private static let line: UInt = 64
    /// The number of lines to prefetch: an entry, and the start of its field lines, which are read sequentially.
    private static let entryLines: UInt = 5
    private static let textLines: UInt = 12

    // A constant pointer instead of a variable, because each access to a class's variable incurs an exclusivity check.
    private let hints: UnsafeMutablePointer<Hint>
    private let shift: Int

    /// Creates `capacity` hints of 32 bytes each, rounded up to a power of two, at least 2.
    init(capacity: Int) {
        var bits = 1
        while 1 << bits < capacity { bits += 1 }
        shift = UInt64.bitWidth - bits
        hints = .allocate(capacity: 1 << bits)
        hints.initialize(repeating: Hint(), count: 1 << bits)
    }

    deinit {
        hints.deallocate()
    }

    /// Prefetches the hint of a token that will be looked up soon.
    @inline(__always)
    func expect(_ token: UnsafeRawBufferPointer) {
        cprefetch(UInt(bitPattern: hints + place(of: token)))
    }

    /// Prefetches the entry of a token that is about to be looked up.
    @inline(__always)
    func fetchAhead(_ token: UnsafeRawBufferPointer) {
        let hint = hints[place(of: token)]
        cprefetch(hint.tags)
        cprefetch(hint.slots)
        for line in 0..<Self.entryLines { cprefetch(hint.entry &+ line &* Self.line) }
        for line in 0..<Self.textLines { cprefetch(hint.lines &+ line &* Self.line) }
    }

    /// Returns whether a token's hint is for another entry.
    @inline(__always)
    func misses(_ entry: VerifiedTokenCache.Entry, of token: UnsafeRawBufferPointer) -> Bool {
        hints[place(of: token)].entry != UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
    }

    /// Records the address of a token's entry, and of its set from ``VerifiedTokenCache/place(of:)``.
    func record(_ entry: VerifiedTokenCache.Entry, of token: UnsafeRawBufferPointer, in set: (tags: UInt, slots: UInt))
    {
        let address = UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
        let lines = entry.identity.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        hints[place(of: token)] = Hint(entry: address, lines: lines, tags: set.tags, slots: set.slots)
    }

    /// Returns the likely address of a token's entry, or 0 without a hint.
    func address(of token: UnsafeRawBufferPointer) -> UInt { hints[place(of: token)].entry }

    /// Returns the index of a hint. The end of a signature is as good as random; other tokens with the same end share a
    /// hint.
    @inline(__always)
    private func place(of token: UnsafeRawBufferPointer) -> Int {
        guard token.count >= 8 else { return 0 }
        let end = token.loadUnaligned(fromByteOffset: token.count - 8, as: UInt64.self)
        return Int(truncatingIfNeeded: (end &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(shift))
    }
}
