import GatewayCore
import JOSE

/// A worker's cache of verified App Check tokens, so that a token is verified once and then only looked up.
///
/// Bounded: 4-way set associative, and the entry that expires first is evicted. Only verified tokens enter. The key is
/// the SHA-256 of the token, so that a client cannot choose the slot.
struct AppCheckCache {
    private struct Slot {
        let key: SHA256Digest
        let proof: AppCheckProof
        /// The generation of the key set at verification.
        let generation: UInt64
    }

    static let ways = 4
    private let mask: Int
    private var slots: [Slot?]

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: The maximum number of entries, rounded up to a power of two, at least 4.
    init(capacity: Int) {
        var count = Self.ways
        while count < capacity { count *= 2 }
        mask = count / Self.ways - 1
        slots = Array(repeating: nil, count: count)
    }

    /// Returns the proof of a token that was verified under this generation of the key set, whether or not it has
    /// expired.
    func find(_ key: SHA256Digest, generation: UInt64) -> AppCheckProof? {
        for index in set(of: key) {
            if let slot = slots[index], slot.key == key { return slot.generation == generation ? slot.proof : nil }
        }
        return nil
    }

    mutating func insert(_ proof: AppCheckProof, under key: SHA256Digest, generation: UInt64) {
        var best = set(of: key).lowerBound
        var bestEnd = UnixTime.latest
        for index in set(of: key) {
            if slots[index]?.key == key {
                best = index
                break
            }
            let end = slots[index]?.proof.expiresAt ?? 0
            if end < bestEnd { (best, bestEnd) = (index, end) }
        }
        slots[best] = Slot(key: key, proof: proof, generation: generation)
    }

    private func set(of key: SHA256Digest) -> Range<Int> {
        let first = (Int(truncatingIfNeeded: key.prefix) & mask) * Self.ways
        return first..<first + Self.ways
    }
}
