import GatewayCore
import JOSE
package import Revocation

/// Verified tokens of one worker, so that a token is verified once and then only looked up.
///
/// Bounded in entries and in bytes. Only verified tokens enter, so a flood of bad ones cannot fill it; a key is the SHA-256 of the token,
/// so nobody can choose where a token lies. Eight ways a set; the entry that ends first makes room.
package struct VerifiedTokenCache {
    /// One verified token.
    package final class Entry {
        /// What it is kept under: here, where the rest of a hit is, and not in a table of its own, which would be one more wait for memory.
        fileprivate var key = SHA256Digest.zero
        /// The principal's own, here so that most requests need not follow the reference to it.
        package let standing: CredentialFacts
        package let principal: Principal
        /// The verifier, and the generation of the key set, that the verdict came from.
        let verifier: Int
        let keySetGeneration: UInt64
        /// When it was asked who owns the identity that the token proves.
        var stamp: LinkStamp
        /// The rendered identity header lines.
        package let identity: RenderedIdentity
        /// Until when a provider's word on an opaque token counts, in monotonic nanoseconds.
        let freshUntil: UInt64
        /// What the token itself proves, where the principal is the account that owns the identity; nil: the principal is that.
        let derived: Principal?
        /// How a shared store is asked for the principal's records; made when it first is.
        package lazy var recordCommands = RecordCommands(
            principal.user, session: principal.session, link: principal.recordedLink)
        /// What was signed for the upstreams.
        @exclusivity(unchecked) package var assertions = SignedAssertions()

        package init(
            principal: Principal, verifier: Int, keySetGeneration: UInt64, identity: RenderedIdentity,
            freshUntil: UInt64 = .max, stamp: LinkStamp = LinkStamp(), derived: Principal? = nil
        ) {
            self.freshUntil = freshUntil
            self.stamp = stamp
            self.derived = derived
            standing = principal.standing
            self.principal = principal
            self.verifier = verifier
            self.keySetGeneration = keySetGeneration
            self.identity = identity
        }

        /// What the entry counts against the cache's bytes: its text, what may be signed for it later, what rules read
        /// of it, and the fixed cost of its objects.
        var cost: Int {
            let claims = principal.claims.byteCount + (derived?.claims.byteCount ?? 0)
            return identity.bytes.count + identity.assertionsKept + claims + (identity.auth?.size ?? 0) + 2048
        }
    }

    static let ways = 8
    private let setMask: Int
    private let byteLimit: Int
    /// The first 8 bytes of each entry's key: the tags of a set share a cache line, and only a hit looks further.
    private var tags: [UInt64]
    private var slots: [Entry?]
    private(set) var byteCount = 0
    package private(set) var count = 0
    private var hand = 0

    /// - Parameters:
    ///   - capacity: the most entries, rounded up to a power of two, at least 8.
    ///   - bytes: the most bytes that the entries may count together.
    init(capacity: Int, bytes: Int) {
        var slots = Self.ways
        while slots < capacity { slots *= 2 }
        setMask = slots / Self.ways - 1
        byteLimit = bytes
        tags = Array(repeating: 0, count: slots)
        self.slots = Array(repeating: nil, count: slots)
    }

    /// The entry under a key, whatever its state: the caller asks its verifier, generation and expiry.
    @inline(__always)
    func find(_ key: SHA256Digest) -> Entry? {
        let first = (Int(truncatingIfNeeded: key.prefix) & setMask) * Self.ways
        for index in first..<first + Self.ways where tags[index] == key.prefix {
            if let entry = slots[index], entry.key == key { return entry }
        }
        return nil
    }

    /// The addresses of the set that a key belongs to, to be fetched and never read: the memory may be another's later.
    func place(of key: SHA256Digest) -> (tags: UInt, slots: UInt) {
        let first = (Int(truncatingIfNeeded: key.prefix) & setMask) * Self.ways
        return (
            tags.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } + UInt(first * MemoryLayout<UInt64>.stride),
            slots.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } + UInt(first * MemoryLayout<Entry?>.stride)
        )
    }

    /// Keeps an entry, in the place of the one with the same key, of none, or of the one of its set that ends first.
    mutating func insert(_ entry: Entry, under key: SHA256Digest) {
        guard entry.cost <= byteLimit else { return }
        let first = (Int(truncatingIfNeeded: key.prefix) & setMask) * Self.ways
        remove(at: place(for: key, in: first..<first + Self.ways))
        while byteCount + entry.cost > byteLimit { evictNext() }
        let index = place(for: key, in: first..<first + Self.ways)
        tags[index] = key.prefix
        entry.key = key
        slots[index] = entry
        byteCount += entry.cost
        count += 1
    }

    mutating func remove(_ key: SHA256Digest) {
        let first = (Int(truncatingIfNeeded: key.prefix) & setMask) * Self.ways
        for index in first..<first + Self.ways where slots[index]?.key == key {
            remove(at: index)
        }
    }

    private func place(for key: SHA256Digest, in set: Range<Int>) -> Int {
        var best = set.lowerBound
        var bestEnd = UnixTime.latest
        for index in set {
            if slots[index]?.key == key { return index }
            let end = slots[index]?.standing.expiresAt ?? 0
            if end < bestEnd {
                bestEnd = end
                best = index
            }
        }
        return best
    }

    private mutating func evictNext() {
        remove(at: hand)
        hand = (hand + 1) % slots.count
    }

    private mutating func remove(at index: Int) {
        guard let old = slots[index] else { return }
        byteCount -= old.cost
        count -= 1
        slots[index] = nil
        tags[index] = 0
    }
}
