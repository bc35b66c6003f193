import CPrefetch

/// Where in memory cached tokens' entries seem to lie, by what the tokens end with: so they are on their way to the processor's caches while the
/// token is still hashed. Of thousands of users none is there, and each part of an entry would be a wait of its own.
///
/// Hints only: nothing is ever read through one, so a wrong or an old one costs a little time and decides nothing.
final class CachePrefetcher {
    private struct Hint {
        var entry: UInt = 0
        var lines: UInt = 0
        /// The two parts of its set in the cache.
        var tags: UInt = 0
        var slots: UInt = 0
    }

    /// The bytes that the processor fetches at a time.
    private static let line: UInt = 64
    /// How many of those are asked for: an entry, and the beginning of its field lines, which are then read one after the other.
    private static let entryLines: UInt = 5
    private static let textLines: UInt = 12

    // A constant that points to the state, instead of a variable: a class's variables pay an exclusivity check each time.
    private let hints: UnsafeMutablePointer<Hint>
    private let shift: Int

    /// - Parameter capacity: how many there are, rounded up to a power of two, at least 2; 32 bytes each.
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

    /// A token will be looked for before long: its hint itself is fetched.
    @inline(__always)
    func expect(_ token: UnsafeRawBufferPointer) {
        cprefetch(UInt(bitPattern: hints + place(of: token)))
    }

    /// A token is about to be looked for.
    @inline(__always)
    func fetchAhead(_ token: UnsafeRawBufferPointer) {
        let hint = hints[place(of: token)]
        cprefetch(hint.tags)
        cprefetch(hint.slots)
        for line in 0..<Self.entryLines { cprefetch(hint.entry &+ line &* Self.line) }
        for line in 0..<Self.textLines { cprefetch(hint.lines &+ line &* Self.line) }
    }

    /// Whether a token's hint leads elsewhere: it is another token's, or the token has another entry by now.
    @inline(__always)
    func misses(_ entry: VerifiedTokenCache.Entry, of token: UnsafeRawBufferPointer) -> Bool {
        hints[place(of: token)].entry != UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
    }

    /// A token's entry is kept.
    ///
    /// - Parameter set: where its set of the cache lies: ``VerifiedTokenCache/place(of:)``.
    func record(_ entry: VerifiedTokenCache.Entry, of token: UnsafeRawBufferPointer, in set: (tags: UInt, slots: UInt))
    {
        let address = UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
        let lines = entry.identity.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        hints[place(of: token)] = Hint(entry: address, lines: lines, tags: set.tags, slots: set.slots)
    }

    /// Where a token's entry seems to lie; 0: no hint.
    func address(of token: UnsafeRawBufferPointer) -> UInt { hints[place(of: token)].entry }

    /// A signature's end is as good as random; what else ends alike shares a hint.
    @inline(__always)
    private func place(of token: UnsafeRawBufferPointer) -> Int {
        guard token.count >= 8 else { return 0 }
        let end = token.loadUnaligned(fromByteOffset: token.count - 8, as: UInt64.self)
        return Int(truncatingIfNeeded: (end &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(shift))
    }
}
