import Testing

@testable import GatewayCore

@Suite struct RecentKeyTableTests {
    private static let second: UInt64 = 1_000_000_000
    private static let hour = 3_600 * second
    private let table = RecentKeyTable(groups: 1)

    private func contains(_ key: UInt64, now: UInt64) -> Bool { table.contains(key, within: Self.hour, now: now) }

    @Test func `a key is recent for the duration after its last record`() {
        #expect(!contains(7, now: 0))
        table.record(7, now: Self.second)
        #expect(contains(7, now: Self.second + Self.hour) && !contains(7, now: Self.second + Self.hour + 1))
        table.record(7, now: Self.hour)
        #expect(contains(7, now: 2 * Self.hour) && !contains(7, now: 2 * Self.hour + 1))
        #expect(!contains(8, now: Self.second) && !contains(0, now: Self.second))
    }

    @Test func `a new key replaces the one that was recorded first`() {
        for key in UInt64(1)...8 { table.record(key, now: key * Self.second) }
        table.record(1, now: 20 * Self.second)
        table.record(9, now: 21 * Self.second)
        let now = 22 * Self.second
        #expect((UInt64(1)...9).filter { contains($0, now: now) } == [1, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test func `an earlier time does not replace a later one`() {
        table.record(7, now: Self.hour)
        table.record(7, now: 0)
        #expect(contains(7, now: 2 * Self.hour))
    }
}
