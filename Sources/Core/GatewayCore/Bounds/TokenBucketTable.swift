import Atomics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Buckets by key that all workers take from without a lock, in memory whose size never changes.
///
/// A key, which is a hash under a secret, has eight places beside each other; each place is two words, the key and when its bucket is full.
/// A bucket that is full again is as good as none. Where no place is free, a new key takes the place of the fullest bucket and begins with what
/// the emptiest of its places holds. So a key that was driven out never comes back with more than it had: whatever is at its places since then
/// had less than it, or began with less. A client that floods the table makes others wait, as long as the flood lasts, and wins nothing.
///
/// Words change one at a time, so what counts is off by a request or two in two cases, and never by more than there are workers: when a key
/// comes for the first time on several workers at once, and when a place changes its key while another worker takes from it.
package final class TokenBucketTable: Sendable {
    /// The places of a key.
    package static let ways = 8
    /// How often a place is sought again that another worker took away, before the key shares one.
    private static let attempts = 16

    private typealias Cell = UnsafeAtomic<UInt64>
    private let mask: UInt64
    private let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    /// By group: eight keys, 0 for none, then eight times. Not `Sendable` as a pointer; what it points to is only ever used atomically, and
    /// lives as long as the table.
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Cell.Storage>?

    /// - Parameter groups: of eight buckets, 128 bytes each; a power of two. Memory is taken as it is used.
    package init(groups: Int) {
        mask = UInt64(groups - 1)
        // Zeroed memory is what `Storage(0)` is, without touching each page for it.
        let memory = calloc(groups * Self.ways * 2, MemoryLayout<Cell.Storage>.stride)
        cells = memory?.bindMemory(to: Cell.Storage.self, capacity: groups * Self.ways * 2)
    }

    deinit {
        free(cells)
    }

    /// The key of what `feed` hands to a hasher. Nobody can choose what shares the places of another.
    package func key(_ feed: (inout Hasher) -> Void) -> UInt64 {
        // The hasher has a seed of the process, unless the environment takes it away: so one of our own.
        var hasher = Hasher()
        hasher.combine(secret.0)
        hasher.combine(secret.1)
        feed(&hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Takes a request out of a key's bucket.
    ///
    /// - Returns: nil: it was taken; else after how many seconds there is one.
    package func take(_ key: UInt64, of shape: TokenBucket, now: UInt64) -> Int? {
        guard let cells else { return 1 }
        let key = key == 0 ? 1 : key
        let keys = cells + Int(truncatingIfNeeded: key & mask) * (Self.ways * 2)
        let times = keys + Self.ways
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
                // Another worker may have found the key here meanwhile, and taken from what was before.
                if Cell(at: times + free).exchanges(held, for: fullAt) { return nil }
                return Self.spend(at: times + free, shape, now: now)
            }
        }
        return Self.spend(at: times + place, shape, now: now)
    }

    /// Puts a request back that was taken and then not let pass.
    package func giveBack(_ key: UInt64, of shape: TokenBucket) {
        guard let cells else { return }
        let key = key == 0 ? 1 : key
        let keys = cells + Int(truncatingIfNeeded: key & mask) * (Self.ways * 2)
        for place in 0..<Self.ways where Cell(at: keys + place).load(ordering: .relaxed) == key {
            Self.change(at: keys + Self.ways + place) { $0 > shape.interval ? $0 - shape.interval : 0 }
            return
        }
    }

    private enum Place {
        case own(Int)
        /// The fullest bucket's place, its key, when it is full, and what a newcomer there begins with.
        case free(Int, holder: UInt64, held: UInt64, start: UInt64)
    }

    private static func find(
        _ key: UInt64, _ keys: UnsafeMutablePointer<Cell.Storage>, _ times: UnsafeMutablePointer<Cell.Storage>,
        now: UInt64
    ) -> Place {
        var fullest = (place: 0, holder: UInt64.zero, held: UInt64.max)
        var emptiest = UInt64.zero
        for place in 0..<ways {
            let holder = Cell(at: keys + place).load(ordering: .acquiring)
            if holder == key { return .own(place) }
            let held = Cell(at: times + place).load(ordering: .relaxed)
            if held < fullest.held { fullest = (place, holder, held) }
            emptiest = max(emptiest, held)
        }
        let start = fullest.held <= now ? now : emptiest
        return .free(fullest.place, holder: fullest.holder, held: fullest.held, start: start)
    }

    private static func change(at time: UnsafeMutablePointer<Cell.Storage>, _ next: (UInt64) -> UInt64) {
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
        at time: UnsafeMutablePointer<Cell.Storage>, _ shape: TokenBucket, now: UInt64
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
    /// How long a bucket has nothing, in seconds; at least 1.
    fileprivate func wait(fullAt: UInt64, now: UInt64) -> Int {
        if case .empty(let seconds) = take(fullAt: fullAt, now: now) { seconds } else { 1 }
    }
}

extension UnsafeAtomic<UInt64> {
    fileprivate func exchanges(_ expected: UInt64, for desired: UInt64) -> Bool {
        compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }
}
