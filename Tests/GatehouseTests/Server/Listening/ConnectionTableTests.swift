import Testing

@testable import Gatehouse

@Suite struct ConnectionTableTests {
    private static let (heavy, light) = (PeerNetwork.version4(1), PeerNetwork.version6(2))

    private func seat(idleSince: UInt64? = nil) -> ConnectionSeat {
        let seat = ConnectionSeat {}
        seat.note(idleSince: idleSince)
        return seat
    }

    /// Admits connections of an address, each idle since its number.
    private func fill(
        _ table: inout ConnectionTable, _ network: PeerNetwork?, idleSince times: [UInt64?]
    ) -> [ConnectionSeat] {
        times.map { time in
            let seat = seat(idleSince: time)
            guard case .admitted = table.admit(seat, from: network) else {
                Issue.record("not admitted")
                return seat
            }
            return seat
        }
    }

    private func replaced(_ outcome: ConnectionTable.Outcome) -> ConnectionSeat? {
        if case .replaces(let seat) = outcome { seat } else { nil }
    }

    private func isRefused(_ outcome: ConnectionTable.Outcome) -> Bool {
        if case .refused = outcome { true } else { false }
    }

    @Test func `an address at its limit gives up its longest idle connection`() {
        var table = ConnectionTable(limit: 10, perAddress: 3)
        let seats = fill(&table, Self.heavy, idleSince: [9, 3, 7])
        #expect(replaced(table.admit(seat(), from: Self.heavy)) === seats[1])
        #expect(table.count == 3 && table.count(of: Self.heavy) == 3)
    }

    @Test func `K-15: an address at its limit with nothing idle is refused, and others are not`() {
        var table = ConnectionTable(limit: 10, perAddress: 3)
        _ = fill(&table, Self.heavy, idleSince: [nil, nil, nil])
        #expect(isRefused(table.admit(seat(), from: Self.heavy)))
        _ = fill(&table, Self.light, idleSince: [nil])
        #expect(table.count == 4)
    }

    @Test func `where all places are taken the heaviest address makes room`() {
        var table = ConnectionTable(limit: 5, perAddress: 5)
        _ = fill(&table, Self.light, idleSince: [1])
        let seats = fill(&table, Self.heavy, idleSince: [nil, 8, 5, nil])
        #expect(replaced(table.admit(seat(), from: .version4(7))) === seats[2])
        #expect(table.count == 5)
    }

    @Test func `an address with as many as the newcomer's gives none up for it`() {
        var table = ConnectionTable(limit: 4, perAddress: 4)
        let own = fill(&table, Self.heavy, idleSince: [4, 2])
        _ = fill(&table, Self.light, idleSince: [1, 1])
        #expect(replaced(table.admit(seat(), from: Self.heavy)) === own[1])
    }

    @Test func `the next heaviest is searched where the heaviest has nothing idle`() {
        var table = ConnectionTable(limit: 5, perAddress: 5)
        _ = fill(&table, Self.heavy, idleSince: [nil, nil, nil])
        let seats = fill(&table, Self.light, idleSince: [6, 5])
        #expect(replaced(table.admit(seat(), from: nil)) === seats[1])
    }

    @Test func `connections of no address count for the total alone`() {
        var table = ConnectionTable(limit: 4, perAddress: 1)
        _ = fill(&table, nil, idleSince: [1, 2, 3, 4])
        #expect(isRefused(table.admit(seat(), from: Self.light)))
    }

    @Test func `sockets that are being closed are bounded`() {
        var table = ConnectionTable(limit: 100, perAddress: 100)
        _ = fill(&table, Self.heavy, idleSince: Array(repeating: 1, count: 100))
        for _ in 0..<ConnectionTable.leavingAllowance {
            #expect(replaced(table.admit(seat(idleSince: 1), from: Self.light)) != nil)
        }
        #expect(isRefused(table.admit(seat(), from: Self.light)))
    }

    @Test func `a connection that began a request meanwhile counts again`() throws {
        var table = ConnectionTable(limit: 2, perAddress: 2)
        _ = fill(&table, Self.heavy, idleSince: [1, nil])
        let left = try #require(replaced(table.admit(seat(), from: Self.light)))
        #expect(table.count(of: Self.heavy) == 1)
        left.note(idleSince: nil)
        table.stay(left)
        #expect(table.count(of: Self.heavy) == 2 && table.count == 3)
        table.remove(left)
        #expect(table.count(of: Self.heavy) == 1 && table.count == 2)
    }

    @Test func `a connection moves to the address that its PROXY header names`() {
        var table = ConnectionTable(limit: 10, perAddress: 1)
        let seats = fill(&table, nil, idleSince: [nil, nil])
        #expect(!isRefused(table.move(seats[0], to: Self.heavy)))
        #expect(isRefused(table.move(seats[1], to: Self.heavy)))
        #expect(table.count == 1)
        table.remove(seats[1])
        #expect(table.count == 1)
    }

    @Test func `one address has a quarter of the places unless it is configured, but at least 256`() {
        for (limit, share) in [(10_000, 2500), (1000, 256), (100, 100)] {
            var table = ConnectionTable(limit: limit)
            _ = fill(&table, Self.heavy, idleSince: Array(repeating: nil, count: share))
            #expect(isRefused(table.admit(seat(), from: Self.heavy)), "\(limit)")
        }
    }

    @Test func `a change of the limits keeps the connections`() {
        var table = ConnectionTable(limit: 4, perAddress: 4)
        let seats = fill(&table, Self.heavy, idleSince: [1, 2, 3])
        table = ConnectionTable(limit: 4, perAddress: 2, keeping: table)
        #expect(table.count == 3 && replaced(table.admit(seat(), from: Self.heavy)) === seats[0])
    }
}
