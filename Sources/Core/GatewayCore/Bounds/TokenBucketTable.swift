import Atomics

/// A lock-free table of token buckets by key, shared by all workers, in a fixed amount of memory.
///
/// A key is a hash with a secret. It has eight adjacent slots. A slot has two words: the key, and the time at which
/// its bucket is full. A full bucket is equivalent to none. If no slot is free, a new key replaces the fullest bucket
/// and begins with the content of the emptiest one. So an evicted key never returns with more than it had: all
/// buckets that entered its slots since had less, or began with less. A client that floods the table delays others
/// during the flood but gains nothing.
///
/// Words change one at a time, so a count can be off by at most the number of workers in two cases: when several
/// workers insert a key at once, and when a slot changes its key while another worker uses it.
package final class TokenBucketTable: Sendable {
    /// The number of buckets of a group.
    package static let ways = SlotGroups.ways
    /// The maximum number of attempts to claim a slot that other workers claim. After that, the key shares one.
    private static let attempts = 16

    private typealias Cell = SlotGroups.Cell
    private let slots: SlotGroups
    private let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// Creates a table.
    ///
    /// - Parameter groups: The number of groups of eight buckets, 128 bytes each; a power of two. Pages are allocated
    ///   on first use.
    package init(groups: Int) {
        slots = SlotGroups(groups: groups)
    }

    /// Hashes the input of `feed` to a key. Clients cannot choose keys that share slots.
    package func key(_ feed: (inout Hasher) -> Void) -> UInt64 {
        // The seed of `Hasher` can be disabled by the environment, so the table has its own.
        var hasher = Hasher()
        hasher.combine(secret.0)
        hasher.combine(secret.1)
        feed(&hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Takes a request from the bucket of a key.
    ///
    /// - Returns: `nil` if it was taken; otherwise the seconds until one is available.
    package func take(_ key: UInt64, of shape: TokenBucket, now: UInt64) -> Int? {
        guard let (key, keys, times) = slots.group(of: key) else { return 1 }
        var place = 0
        for _ in 0..<Self.attempts {
            switch Self.find(key, keys, times, now: now) {
            case .own(let own): return Self.spend(at: times + own, shape, now: now)
            case .free(let free, let holder, let held, let start):
                place = free
                let start = shape.begin(asEmptyAs: start, now: now)
                guard case .taken(let fullAt) = shape.take(fullAt: start, now: now) else {
                    return shape.wait(fullAt: start, now: now)
                }
                guard Cell(at: keys + free).exchanges(holder, for: key) else { continue }
                // Another worker may have found the new key and used the old time.
                if Cell(at: times + free).exchanges(held, for: fullAt) { return nil }
                return Self.spend(at: times + free, shape, now: now)
            }
        }
        return Self.spend(at: times + place, shape, now: now)
    }

    /// Returns the seconds until the bucket of a key has a request, without taking it. `nil` if it has one. A key
    /// without a bucket has one: a full table delays only keys that were taken from.
    package func wait(_ key: UInt64, of shape: TokenBucket, now: UInt64) -> Int? {
        guard let (key, keys, times) = slots.group(of: key) else { return 1 }
        for place in 0..<SlotGroups.ways where Cell(at: keys + place).load(ordering: .acquiring) == key {
            let fullAt = Cell(at: times + place).load(ordering: .relaxed)
            if case .empty(let seconds) = shape.take(fullAt: fullAt, now: now) { return seconds }
            return nil
        }
        return nil
    }

    /// Returns a request to its bucket.
    package func release(_ key: UInt64, of shape: TokenBucket) {
        guard let (key, keys, times) = slots.group(of: key) else { return }
        for place in 0..<SlotGroups.ways where Cell(at: keys + place).load(ordering: .relaxed) == key {
            Self.change(at: times + place) { $0 > shape.interval ? $0 - shape.interval : 0 }
            return
        }
    }

    private enum Place {
        case own(Int)
        /// The slot of the fullest bucket, its key, its time, and the initial time of a new key there.
        case free(Int, holder: UInt64, held: UInt64, start: UInt64)
    }

    private static func find(
        _ key: UInt64, _ keys: SlotGroups.Cells, _ times: SlotGroups.Cells, now: UInt64
    ) -> Place {
        var fullest = (place: 0, holder: UInt64.zero, held: UInt64.max)
        var emptiest = UInt64.zero
        for place in 0..<SlotGroups.ways {
            let holder = Cell(at: keys + place).load(ordering: .acquiring)
            if holder == key { return .own(place) }
            let held = Cell(at: times + place).load(ordering: .relaxed)
            if held < fullest.held { fullest = (place, holder, held) }
            emptiest = max(emptiest, held)
        }
        let start = fullest.held <= now ? now : emptiest
        return .free(fullest.place, holder: fullest.holder, held: fullest.held, start: start)
    }

    private static func change(at time: SlotGroups.Cells, _ next: (UInt64) -> UInt64) {
        let cell = Cell(at: time)
        var held = cell.load(ordering: .relaxed)
        while true {
            let (isDone, current) = cell.weakCompareExchange(
                expected: held, desired: next(held), successOrdering: .relaxed, failureOrdering: .relaxed)
            if isDone { return }
            held = current
        }
    }

    private static func spend(
        at time: SlotGroups.Cells, _ shape: TokenBucket, now: UInt64
    ) -> Int? {
        let cell = Cell(at: time)
        var held = cell.load(ordering: .relaxed)
        while true {
            switch shape.take(fullAt: held, now: now) {
            case .empty(let retryAfter): return retryAfter
            case .taken(let fullAt):
                let (isDone, current) = cell.weakCompareExchange(
                    expected: held, desired: fullAt, successOrdering: .relaxed, failureOrdering: .relaxed)
                if isDone { return nil }
                held = current
            }
        }
    }
}

extension TokenBucket {
    /// Returns the seconds until a bucket has a request, at least 1.
    fileprivate func wait(fullAt: UInt64, now: UInt64) -> Int {
        if case .empty(let seconds) = take(fullAt: fullAt, now: now) { seconds } else { 1 }
    }
}

extension UnsafeAtomic<UInt64> {
    fileprivate func exchanges(_ expected: UInt64, for desired: UInt64) -> Bool {
        compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }
}
