import Testing

@testable import Gatehouse

struct DecisionConnectionsTests {
    @Test(arguments: [
        (2, 1, 1, 1), (16, 12, 4, 1), (1_024, 768, 256, 64), (100_000, 75_000, 25_000, 6_250),
    ])
    func `untrusted peers have a quarter, and one address of them a quarter of that`(
        _ row: (connections: Int, trusted: Int, strangers: Int, perAddress: Int)
    ) {
        let shares = DecisionConnections(of: row.connections, admitsStrangers: true)
        #expect(shares.trusted == row.trusted && shares.strangers == row.strangers)
        #expect(shares.strangersPerAddress == row.perAddress)
    }

    @Test func `without introspection, trusted peers have all connections`() {
        let shares = DecisionConnections(of: 1_024, admitsStrangers: false)
        #expect(shares.trusted == 1_024 && shares.strangers == 0)
    }
}
