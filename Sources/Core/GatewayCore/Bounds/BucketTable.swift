/// Buckets by key in a table whose size never changes, as a pure value.
///
/// A key has a few places, which a hash under a secret of this table chooses, so that nobody can choose keys that share them. A bucket that is
/// full again is as good as none. Where no place is free, a new key takes the place of the fullest bucket and begins with what the emptiest of
/// its places holds. So a key that was driven out never comes back with more than it had: whatever is at its places since then had less than it,
/// or began with less. Who floods the table makes others wait, as long as the flood lasts, and wins nothing.
package struct BucketTable: Sendable {
    /// The places of a key.
    package static let ways = 8
    /// The groups of places: a power of two. With 16 bytes a bucket, a table is 1 MiB.
    package static let groups = 8192

    private struct Bucket {
        var key: UInt64 = 0
        /// 0: nobody's.
        var fullAt: UInt64 = 0
    }

    private let shape: CallBucket
    private let ways: Int
    private let mask: UInt64
    private let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private var buckets: [Bucket]

    /// - Parameter groups: a power of two.
    package init(of shape: CallBucket, groups: Int = Self.groups, ways: Int = Self.ways) {
        self.shape = shape
        self.ways = ways
        mask = UInt64(groups - 1)
        buckets = Array(repeating: Bucket(), count: groups * ways)
    }

    /// How many buckets there is room for.
    var capacity: Int { buckets.count }

    /// Takes a call out of a key's bucket.
    ///
    /// - Parameter feed: hands the key to a hasher.
    /// - Returns: nil: it was taken; else after how many seconds there is one.
    package mutating func take(now: UInt64, feed: (inout Hasher) -> Void) -> Int? {
        let key = hash(feed)
        let first = Int(key & mask) * ways
        let (place, fullAt) = find(key, in: first..<first + ways, now: now)
        switch shape.take(fullAt: fullAt, now: now) {
        case .taken(let fullAt):
            buckets[place] = Bucket(key: key, fullAt: fullAt)
            return nil
        case .empty(let retryAfter): return retryAfter
        }
    }

    /// The key's place, or the one that it gets if it takes a call, and when its bucket is full.
    private func find(_ key: UInt64, in places: Range<Int>, now: UInt64) -> (place: Int, fullAt: UInt64) {
        var fullest = places.lowerBound
        var emptiest = places.lowerBound
        for place in places {
            if buckets[place].key == key { return (place, buckets[place].fullAt) }
            if buckets[place].fullAt < buckets[fullest].fullAt { fullest = place }
            if buckets[place].fullAt > buckets[emptiest].fullAt { emptiest = place }
        }
        let isFree = buckets[fullest].fullAt <= now
        return (fullest, isFree ? now : buckets[emptiest].fullAt)
    }

    private func hash(_ feed: (inout Hasher) -> Void) -> UInt64 {
        // The hasher has a seed of the process, unless the environment takes it away: so one of our own.
        var hasher = Hasher()
        hasher.combine(secret.0)
        hasher.combine(secret.1)
        feed(&hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
