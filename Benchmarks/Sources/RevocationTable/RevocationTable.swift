import Glibc

@testable import GatewayCore
@testable import Revocation
@testable import RevocationStores

/// Measures the view of revoked users: the time to fill it, its memory, a lookup, and a complete second read.
///
/// Arguments: the number of users in millions (10 by default); or `redis PORT`, to read them from a server.
@main
struct RevocationTable {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "redis", let port = arguments.last.flatMap({ Int($0) }) {
            return try await LoadFromRedis.run(port: port)
        }
        measure((arguments.first.flatMap { Int($0) } ?? 10) * 1_000_000)
    }

    private static func measure(_ count: Int) {
        let before = Memory.now()
        let view = StoreView()
        let filled = fill(view, count)
        let after = Memory.now()
        print("\(count) users")
        print("filled: \(seconds(filled)) s, \(filled / UInt64(count)) ns each")
        print(
            "view: \(view.usage.bytes / 1_000_000) MB; process: \(after.resident - before.resident) MB more, "
                + "\(after.peak - before.resident) MB at most while it grew")
        print("one random access to the same amount of memory: \(Memory.accessTime(bytes: view.usage.bytes)) ns")
        lookUp(view, count)
        rereadAll(view, count)
    }

    /// Sets all users, and prints the maximum of the view's bytes per record. Returns the time in nanoseconds.
    private static func fill(_ view: StoreView, _ count: Int) -> UInt64 {
        var worst = 0.0
        let time = elapsed {
            for number in 0..<count {
                view.setUser(.numbered(number), to: record(number))
                guard number % 50_000 == 0, number > count / 4 else { continue }
                worst = max(worst, Double(view.usage.bytes) / Double(number))
            }
        }
        print("bytes per record, maximum: \((worst * 10).rounded() / 10)")
        return time
    }

    /// Measures lookups of random keys, far beyond the processor's caches. In a chain, each key depends on the previous
    /// result, so lookups are sequential. Independent lookups can overlap in the processor, as with other work of a
    /// request.
    private static func lookUp(_ view: StoreView, _ count: Int) {
        for (name, offset) in [("hit", 0), ("miss", count)] {
            for isChained in [true, false] {
                let costs = (0..<5).map { chain(view.reader(), count, offset, seed: $0 + 1, isChained) }.sorted()
                let order = isChained ? "in a chain" : "independent"
                print("lookup, random \(name), \(order): best \(costs[0]) ns, median \(costs[2]) ns")
            }
        }
    }

    private static func chain(
        _ reader: StoreReader, _ count: Int, _ offset: Int, seed: Int, _ isChained: Bool
    ) -> UInt64 {
        let calls = 2_000_000
        let mask: UInt64 = isChained ? .max : 0
        var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15
        var found = 0
        let time = elapsed {
            for _ in 0..<calls {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let number = Int(((state >> 32) &* UInt64(count)) >> 32) + offset
                let word = reader.view.users.find(.numbered(number), lane: 0)
                // Always 0, but the processor must wait for the record to compute it.
                state ^= (word.bits >> 30 & 0x3ff) & mask
                if word != .none { found += 1 }
            }
        }
        precondition(found == (offset == 0 ? calls : 0))
        return time / UInt64(calls)
    }

    private static func rereadAll(_ view: StoreView, _ count: Int) {
        let before = Memory.now()
        let reread = view.beginReread()
        let time = elapsed {
            for number in 0..<count {
                view.setUser(.numbered(number), to: record(number))
            }
        }
        let slices = (0..<StoreView.sweepSlices).map { slice in elapsed { _ = view.sweep(reread, slice: slice) } }
        print(
            "read again: \(seconds(time)) s; swept: \(seconds(slices.reduce(0, +))) s, "
                + "longest slice \((slices.max() ?? 0) / 1000) us; "
                + "\(Memory.now().resident - before.resident) MB more")
    }

    private static func record(_ number: Int) -> RecordWord {
        RecordWord(UserRecord(validSince: UnixTime(clamping: Int64(number))))
    }

    private static func elapsed(_ body: () -> Void) -> UInt64 {
        let clock = GatewayClock.system
        let start = clock.monotonic()
        body()
        return clock.monotonic() - start
    }

    private static func seconds(_ nanoseconds: UInt64) -> Double {
        Double(nanoseconds / 10_000_000) / 100
    }
}

extension StoreKey {
    /// A key with the properties of a hash of `number`.
    fileprivate static func numbered(_ number: Int) -> StoreKey {
        StoreKey(high: mix(UInt64(number)), low: mix(UInt64(number) ^ 0x5555_5555_5555_5555))
    }

    private static func mix(_ number: UInt64) -> UInt64 {
        var word = number &+ 0x9e37_79b9_7f4a_7c15
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
