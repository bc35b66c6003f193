import Testing

@testable import GatewayCore

@Suite struct BucketTableTests {
    private static let start: UInt64 = .seconds(1000)

    @Test func aMillionNamesTakeNoMoreMemoryThanNone() {
        var table = BucketTable(of: CallBucket(perMinute: 20))
        let capacity = table.capacity
        for name in 0..<1_000_000 { _ = table.take(now: Self.start) { $0.combine(name) } }
        #expect(table.capacity == capacity)
        #expect(capacity == 65_536)
    }

    @Test func aMillionNamesGiveNobodyAFreshBucket() {
        var table = BucketTable(of: CallBucket(perMinute: 20))
        for _ in 0..<6 { _ = table.take(now: Self.start) { $0.combine("victim") } }
        for name in 0..<1_000_000 { _ = table.take(now: Self.start) { $0.combine(name) } }
        let again = table.take(now: Self.start) { $0.combine("victim") }
        #expect(again == 3)
    }

    @Test func afterAFloodEverybodyCallsAsBefore() {
        var table = BucketTable(of: CallBucket(perMinute: 20), groups: 1, ways: 4)
        for name in 0..<1000 { _ = table.take(now: Self.start) { $0.combine(name) } }
        let during = table.take(now: Self.start) { $0.combine("innocent") }
        let after = (0..<6).map { _ in table.take(now: Self.start + .seconds(20)) { $0.combine("innocent") } }
        #expect(during != nil)
        #expect(after == Array(repeating: nil, count: 6))
    }

    /// The one promise that matters, against a table that forgets nothing.
    @Test(arguments: [(1, 1), (1, 2), (1, 4), (2, 3), (4, 8)])
    func noCallPassesThatATableWithoutBoundsRefuses(_ groups: Int, _ ways: Int) {
        var random = RoutingRandom(seed: UInt64(groups * 100 + ways))
        let shape = CallBucket(perMinute: 20)
        var table = BucketTable(of: shape, groups: groups, ways: ways)
        var exact: [Int: UInt64] = [:]
        var (now, wrong, passed) = (Self.start, 0, 0)
        for _ in 0..<50_000 {
            now += UInt64.random(in: 0...2 * shape.interval, using: &random) / 8
            let name = Int.random(in: 0..<3 * groups * ways, using: &random)
            let isAllowed = shape.take(fullAt: exact[name] ?? 0, now: now)
            let refusal = table.take(now: now) { $0.combine(name) }
            guard refusal == nil else { continue }
            passed += 1
            guard case .taken(let fullAt) = isAllowed else {
                wrong += 1
                continue
            }
            exact[name] = fullAt
        }
        #expect(wrong == 0)
        #expect(passed > 1000)
    }
}
