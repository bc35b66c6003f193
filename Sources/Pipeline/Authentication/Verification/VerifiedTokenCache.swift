package import GatewayCore
import JOSE
package import Revocation

/// A worker's cache of verified tokens, so that a token is verified once and then only looked up.
///
/// Bounded in entries and in bytes. Only verified tokens enter, so that a flood of invalid ones cannot fill it. The key
/// is the SHA-256 of the token, so that a client cannot choose the slot. The cache is 8-way set associative; the entry
/// that expires first is evicted.
package struct VerifiedTokenCache {
    /// One verified token.
    package final class Entry {
        /// The key of the entry. It is here with the rest of a hit, because a separate table would cost another memory
        /// access.
        fileprivate var key = SHA256Digest.zero
        /// A copy of the principal's facts, so that most requests need not follow the reference.
        package let facts: CredentialFacts
        package let principal: Principal
        /// The index of the verifier, and the generation of the key set at verification.
        let verifier: Int
        let keySetGeneration: UInt64
        /// The state of the link counter at the lookup of the identity's owner.
        var stamp: LinkStamp
        /// The rendered identity header lines.
        package let identity: RenderedIdentity
        /// When an introspection verdict expires, in monotonic nanoseconds.
        let freshUntil: UInt64
        /// The principal derived from the token itself, if `principal` is the account that owns the identity. Otherwise
        /// `nil`.
        let derived: Principal?
        /// The commands that query a shared store for the principal's records. Created on first use.
        package lazy var recordCommands = RecordCommands(
            principal.user, session: principal.session, link: principal.recordedLink)
        /// When a request examines next whether the session cookie is due for renewal, and whether its use is recorded.
        @exclusivity(unchecked) package var examinesAt = UnixTime(clamping: 0)
        /// When the cookie may be renewed again, and when its use was recorded.
        package var renewsAt = UnixTime(clamping: 0)
        package var useRecordedAt = UnixTime(clamping: 0)
        /// The assertions that were signed for upstreams.
        @exclusivity(unchecked) package var assertions = SignedAssertions()

        package init(
            principal: Principal, verifier: Int, keySetGeneration: UInt64, identity: RenderedIdentity,
            freshUntil: UInt64 = .max, stamp: LinkStamp = LinkStamp(), derived: Principal? = nil
        ) {
            self.freshUntil = freshUntil
            self.stamp = stamp
            self.derived = derived
            facts = principal.facts
            self.principal = principal
            self.verifier = verifier
            self.keySetGeneration = keySetGeneration
            self.identity = identity
        }

        /// The size that counts against the cache's byte limit: the texts, the assertions that may be signed later, the
        /// rules' variable, and the fixed cost of the objects.
        var cost: Int {
            let claims = principal.claims.byteCount + (derived?.claims.byteCount ?? 0)
            return identity.bytes.count + identity.assertionsKept + claims + (identity.auth?.size ?? 0) + 2048
        }
    }

    static let ways = 8
    private let setMask: Int
    private let byteLimit: Int
    /// The first 8 bytes of each entry's key. The tags of a set share a cache line, and only a match accesses the
    /// entry.
    private var tags: [UInt64]
    private var slots: [Entry?]
    private(set) var byteCount = 0
    package private(set) var count = 0
    private var hand = 0

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of entries, rounded up to a power of two, at least 8.
    ///   - bytes: The maximum total cost of the entries.
    init(capacity: Int, bytes: Int) {
        var slots = Self.ways
        while slots < capacity { slots *= 2 }
        setMask = slots / Self.ways - 1
        byteLimit = bytes
        tags = Array(repeating: 0, count: slots)
        self.slots = Array(repeating: nil, count: slots)
    }

    /// Returns the entry of a key, whatever its state. The caller checks its verifier, generation and expiry.
    @inline(__always)
    func find(_ key: SHA256Digest) -> Entry? {
        let first = (Int(truncatingIfNeeded: key.prefix) & setMask) * Self.ways
        for index in first..<first + Self.ways where tags[index] == key.prefix {
            if let entry = slots[index], entry.key == key { return entry }
        }
        return nil
    }

    /// Returns the addresses of a key's set. They are for prefetching only, because the memory may be reused later.
    func place(of key: SHA256Digest) -> (tags: UInt, slots: UInt) {
        let first = (Int(truncatingIfNeeded: key.prefix) & setMask) * Self.ways
        return (
            tags.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } + UInt(first * MemoryLayout<UInt64>.stride),
            slots.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } + UInt(first * MemoryLayout<Entry?>.stride)
        )
    }

    /// Inserts an entry. It replaces the one with the same key, or fills a free slot, or evicts the entry of its set
    /// that expires first.
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
            let end = slots[index]?.facts.expiresAt ?? 0
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
