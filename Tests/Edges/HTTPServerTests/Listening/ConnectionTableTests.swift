import GatewayCore
import Testing

@testable import HTTPServer

@Suite struct ConnectionTableTests {
    private static let (heavy, light) = (PeerNetwork.version4(1), PeerNetwork.version6(2))

    private func lease() -> ConnectionLease { ConnectionLease {} }

    /// Admits connections of an address. Each is idle since its time.
    private func fill(
        _ table: inout ConnectionTable, _ network: PeerNetwork?, idleSince times: [UInt64?]
    ) -> [ConnectionLease] {
        times.map { time in
            let lease = lease()
            guard case .admitted = table.admit(lease, from: network) else {
                Issue.record("not admitted")
                return lease
            }
            table.record(lease, idleSince: time)
            return lease
        }
    }

    /// The evicted connection, if any.
    private func replaced(_ outcome: ConnectionTable.Outcome) -> ConnectionLease? {
        let seats = evicted(outcome)
        return seats.count == 1 ? seats[0] : nil
    }

    private func evicted(_ outcome: ConnectionTable.Outcome) -> [ConnectionLease] {
        if case .replaces(let seats) = outcome { seats } else { [] }
    }

    private func isRefused(_ outcome: ConnectionTable.Outcome) -> Bool {
        if case .refused = outcome { true } else { false }
    }

    @Test func `an address at its limit loses its longest idle connection`() {
        var table = ConnectionTable(limit: 10, perAddress: 3)
        let seats = fill(&table, Self.heavy, idleSince: [9, 3, 7])
        #expect(replaced(table.admit(lease(), from: Self.heavy)) === seats[1])
        #expect(table.count == 3 && table.count(of: Self.heavy) == 3)
    }

    @Test func `K-15: an address at its limit without an idle connection is rejected, and others are not`() {
        var table = ConnectionTable(limit: 10, perAddress: 3)
        _ = fill(&table, Self.heavy, idleSince: [nil, nil, nil])
        #expect(isRefused(table.admit(lease(), from: Self.heavy)))
        _ = fill(&table, Self.light, idleSince: [nil])
        #expect(table.count == 4)
    }

    @Test func `at the total limit, the address with most connections loses an idle one`() {
        var table = ConnectionTable(limit: 5, perAddress: 5)
        _ = fill(&table, Self.light, idleSince: [1])
        let seats = fill(&table, Self.heavy, idleSince: [nil, 8, 5, nil])
        #expect(replaced(table.admit(lease(), from: .version4(7))) === seats[2])
        #expect(table.count == 5)
    }

    @Test func `an address with as many connections as the new one's loses none`() {
        var table = ConnectionTable(limit: 4, perAddress: 4)
        let own = fill(&table, Self.heavy, idleSince: [4, 2])
        _ = fill(&table, Self.light, idleSince: [1, 1])
        #expect(replaced(table.admit(lease(), from: Self.heavy)) === own[1])
    }

    @Test func `the address with the next most connections is searched if the first has no idle one`() {
        var table = ConnectionTable(limit: 5, perAddress: 5)
        _ = fill(&table, Self.heavy, idleSince: [nil, nil, nil])
        let seats = fill(&table, Self.light, idleSince: [6, 5])
        #expect(replaced(table.admit(lease(), from: nil)) === seats[1])
    }

    @Test func `connections without an address count only for the total`() {
        var table = ConnectionTable(limit: 4, perAddress: 1)
        _ = fill(&table, nil, idleSince: [1, 2, 3, 4])
        #expect(isRefused(table.admit(lease(), from: Self.light)))
    }

    @Test func `sockets that are being closed are bounded`() {
        var table = ConnectionTable(limit: 100, perAddress: 100)
        _ = fill(&table, Self.heavy, idleSince: Array(repeating: 1, count: 100))
        for _ in 0..<ConnectionTable.leavingAllowance {
            #expect(replaced(table.admit(lease(), from: Self.light)) != nil)
        }
        #expect(isRefused(table.admit(lease(), from: Self.light)))
    }

    @Test func `a connection that began a request meanwhile counts again`() throws {
        var table = ConnectionTable(limit: 2, perAddress: 2)
        _ = fill(&table, Self.heavy, idleSince: [1, nil])
        let left = try #require(replaced(table.admit(lease(), from: Self.light)))
        #expect(table.count(of: Self.heavy) == 1)
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

    @Test func `by default one address may have a quarter of the connections, and at least 256`() {
        for (limit, share) in [(10_000, 2500), (1000, 256), (100, 100)] {
            var table = ConnectionTable(limit: limit)
            _ = fill(&table, Self.heavy, idleSince: Array(repeating: nil, count: share))
            #expect(isRefused(table.admit(lease(), from: Self.heavy)), "\(limit)")
        }
    }

    @Test func `a change of the limits keeps the connections`() {
        var table = ConnectionTable(limit: 4, perAddress: 4)
        let seats = fill(&table, Self.heavy, idleSince: [1, 2, 3])
        table.change(limit: 4, perAddress: 2)
        #expect(table.count == 3)
        let leaving = evicted(table.admit(lease(), from: Self.heavy))
        #expect(leaving.count == 2 && leaving[0] === seats[0] && leaving[1] === seats[1])
        #expect(table.count(of: Self.heavy) == 2)
    }

    /// The number of admitted new connections. Evicted connections are closed, and each new connection is idle before
    /// the next one.
    private func admitted(_ count: Int, _ table: inout ConnectionTable, from network: PeerNetwork) -> Int {
        (0..<count).count { _ in
            let newcomer = lease()
            let outcome = table.admit(newcomer, from: network)
            for lease in evicted(outcome) { table.remove(lease) }
            table.record(newcomer, idleSince: 2)
            return !isRefused(outcome)
        }
    }

    @Test func `new connections replace idle ones far above a lowered limit`() {
        var table = ConnectionTable(limit: 200, perAddress: 100)
        _ = fill(&table, Self.heavy, idleSince: Array(repeating: 1, count: 60))
        table.change(limit: 200, perAddress: 10)
        #expect(admitted(30, &table, from: Self.heavy) == 30)
        #expect(table.count(of: Self.heavy) == 10)
        table = ConnectionTable(limit: 200, perAddress: 200)
        _ = fill(&table, Self.heavy, idleSince: Array(repeating: 1, count: 100))
        table.change(limit: 60, perAddress: 60)
        #expect(admitted(20, &table, from: Self.light) == 20)
        #expect(table.count == 60)
    }

    @Test func `above a lowered limit without idle connections, a new one is rejected`() {
        var table = ConnectionTable(limit: 100, perAddress: 100)
        let busy = fill(&table, Self.heavy, idleSince: Array(repeating: nil, count: 100))
        table.change(limit: 10, perAddress: 10)
        #expect(admitted(1, &table, from: Self.light) == 0)
        table.record(busy[50], idleSince: 1)
        #expect(admitted(1, &table, from: Self.light) == 1 && table.count == 100)
    }

    @Test func `connections that do not close on request are bounded`() {
        var table = ConnectionTable(limit: 10, perAddress: 10)
        var newcomers = fill(&table, Self.heavy, idleSince: Array(repeating: 1, count: 10))
        for _ in 0..<100 {
            let newcomer = lease()
            let outcome = table.admit(newcomer, from: .version4(UInt32(newcomers.count)))
            guard !isRefused(outcome) else { break }
            for lease in evicted(outcome) { table.stay(lease) }
            table.record(newcomer, idleSince: 1)
            newcomers.append(newcomer)
        }
        #expect(table.count == 10 + ConnectionTable.leavingAllowance)
        for lease in newcomers { table.remove(lease) }
        #expect(table.count == 0 && admitted(1, &table, from: Self.heavy) == 1)
    }

    @Test func `an idle connection of any address is evicted, however many addresses are busy`() {
        var table = ConnectionTable(limit: 101, perAddress: 10)
        for address in 0..<20 {
            _ = fill(&table, .version4(UInt32(100 + address)), idleSince: Array(repeating: nil, count: 5))
        }
        let idle = fill(&table, Self.light, idleSince: [1])
        #expect(replaced(table.admit(lease(), from: Self.heavy)) === idle[0])
    }

    @Test func `a connection that is busy again is not evicted`() {
        var table = ConnectionTable(limit: 3, perAddress: 3)
        let seats = fill(&table, Self.heavy, idleSince: [1, 2, 3])
        table.record(seats[1], idleSince: nil)
        table.record(seats[0], idleSince: 9)
        #expect(replaced(table.admit(lease(), from: Self.light)) === seats[2])
        #expect(replaced(table.admit(lease(), from: Self.light)) === seats[0])
        #expect(isRefused(table.admit(lease(), from: .version4(7))))
    }

    @Test func `a connection that is closed already does not move`() {
        var table = ConnectionTable(limit: 3, perAddress: 3)
        let seats = fill(&table, Self.light, idleSince: [nil])
        table.remove(seats[0])
        _ = table.move(seats[0], to: Self.heavy)
        #expect(table.count == 0)
    }

    @Test func `the counts agree with the connections after any events`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var table = ConnectionTable(limit: 6, perAddress: 4)
            var seats: [(lease: ConnectionLease, network: PeerNetwork)] = []
            for step in 0..<60 {
                let network = PeerNetwork.version4(UInt32.random(in: 1...3, using: &random))
                let newcomer = lease()
                let outcome = table.admit(newcomer, from: network)
                for lease in evicted(outcome) {
                    if Bool.random(using: &random) {
                        table.stay(lease)
                    } else {
                        table.remove(lease)
                        seats.removeAll { $0.lease === lease }
                    }
                }
                if !isRefused(outcome) { seats.append((newcomer, network)) }
                guard let picked = seats.randomElement(using: &random) else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    table.remove(picked.lease)
                    seats.removeAll { $0.lease === picked.lease }
                case 1: table.record(picked.lease, idleSince: nil)
                case 2: table.change(limit: Int.random(in: 2...9, using: &random), perAddress: 4)
                default: table.record(picked.lease, idleSince: UInt64(step + 1))
                }
                #expect(table.count == seats.count)
                for network in Set(seats.map(\.network)) {
                    #expect(table.count(of: network) == seats.count { $0.network == network })
                }
            }
        }
    }
}
