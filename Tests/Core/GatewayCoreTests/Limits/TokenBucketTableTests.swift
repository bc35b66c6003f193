import Foundation
import Synchronization
import Testing

@testable import GatewayCore
@testable import SystemFixtures

@Suite struct TokenBucketTableTests {
    private static let second: UInt64 = 1_000_000_000
    /// Ten requests per second, with a burst of ten.
    private let shape = TokenBucket(requests: 10, every: second, burst: 10)
    private let table = TokenBucketTable(groups: 1)

    @Test func `a bucket holds its burst and refills evenly`() {
        let now = 5 * Self.second
        for _ in 0..<10 { #expect(table.take(7, of: shape, now: now) == nil) }
        #expect(table.take(7, of: shape, now: now) == 1)
        #expect(table.take(8, of: shape, now: now) == nil)
        #expect(table.take(7, of: shape, now: now + Self.second / 10) == nil)
        #expect(table.take(7, of: shape, now: now + Self.second / 10) == 1)
        for _ in 0..<10 { #expect(table.take(7, of: shape, now: now + 60 * Self.second) == nil) }
    }

    @Test(arguments: [(1, 60, 60), (2, 60, 30), (100, 60, 1), (7, 60, 9)])
    func `a rejection contains the seconds until the next token`(row: (requests: Int, every: Int, wait: Int)) {
        let shape = TokenBucket(requests: row.requests, every: UInt64(row.every) * Self.second, burst: 1)
        #expect(table.take(1, of: shape, now: 0) == nil)
        #expect(table.take(1, of: shape, now: 0) == row.wait)
        #expect(table.take(1, of: shape, now: UInt64(row.wait) * Self.second) == nil)
    }

    @Test func `a returned token can be taken again`() {
        for _ in 0..<10 { _ = table.take(7, of: shape, now: 0) }
        #expect(table.take(7, of: shape, now: 0) == 1)
        table.release(7, of: shape)
        table.release(9, of: shape)
        #expect(table.take(7, of: shape, now: 0) == nil)
        #expect(table.take(7, of: shape, now: 0) == 1)
    }

    @Test func `the wait for a bucket takes nothing from it`() {
        #expect(table.wait(7, of: shape, now: 0) == nil)
        for _ in 0..<10 { _ = table.take(7, of: shape, now: 0) }
        #expect(table.wait(7, of: shape, now: 0) == 1)
        #expect(table.wait(7, of: shape, now: Self.second / 10) == nil)
        #expect(table.take(7, of: shape, now: Self.second / 10) == nil)
    }

    @Test func `a key without a bucket does not wait, even if the table is full of empty ones`() {
        for key in UInt64(2)...9 { for _ in 0..<10 { _ = table.take(key, of: shape, now: 0) } }
        #expect(table.wait(1, of: shape, now: 0) == nil)
    }

    @Test func `an evicted key gains no tokens`() {
        let now = Self.second
        for _ in 0..<10 { _ = table.take(1, of: shape, now: now) }
        // Other keys evict it, and it gains no tokens.
        for key in UInt64(2)...40 { for _ in 0..<10 { _ = table.take(key, of: shape, now: now) } }
        var taken = 0
        for _ in 0..<20 where table.take(1, of: shape, now: now) == nil { taken += 1 }
        #expect(taken == 0)
        #expect(table.take(1, of: shape, now: now + 2 * Self.second) == nil)
    }

    /// Compares the table with an unbounded one.
    @Test(arguments: [1, 2, 8]) func `no call passes that an unbounded table would reject`(_ groups: Int) {
        var random = SeededRandom(seed: UInt64(groups))
        let (table, shape) = (TokenBucketTable(groups: groups), TokenBucket(perMinute: 20))
        var exact: [Int: UInt64] = [:]
        var (now, wrong, passed) = (1_000 * Self.second, 0, 0)
        for _ in 0..<Thoroughness.rounds(12_500, full: 50_000) {
            now += UInt64.random(in: 0...2 * shape.interval, using: &random) / 8
            let name = Int.random(in: 0..<3 * groups * TokenBucketTable.ways, using: &random)
            guard table.take(table.key { $0.combine(name) }, of: shape, now: now) == nil else { continue }
            passed += 1
            guard case .taken(let fullAt) = shape.take(fullAt: exact[name] ?? 0, now: now) else {
                wrong += 1
                continue
            }
            exact[name] = fullAt
        }
        #expect(wrong == 0)
        #expect(passed > 1_000)
    }

    @Test func `workers share their buckets`() {
        let table = TokenBucketTable(groups: 64)
        let shape = TokenBucket(requests: 1_000, every: 3600 * Self.second, burst: 1_000)
        let taken = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            var mine = 0
            for _ in 0..<1_000 where table.take(99, of: shape, now: Self.second) == nil { mine += 1 }
            taken.withLock { $0 += mine }
        }
        // A key that is new on several workers at once can be recorded twice, each time with one request.
        #expect((1_000...1_008).contains(taken.withLock { $0 }))
    }

    @Test func `extreme limits do not overflow`() {
        let slow = TokenBucket(requests: 1, every: 86_400 * Self.second, burst: 1_000_000)
        for _ in 0..<100 { #expect(table.take(1, of: slow, now: 1 << 60) == nil) }
        let fast = TokenBucket(requests: 1_000_000, every: Self.second, burst: 1)
        #expect(table.take(2, of: fast, now: 0) == nil)
        #expect(table.take(2, of: fast, now: 0) == 1)
    }
}
