import Testing

@testable import Forwarding

@Suite struct HashRingTests {
    private let hasher = SipHash(key: (1, 2))
    private let values: [UInt64] = (0..<20_000).map { UInt64($0).mixed }

    private func ring(_ servers: [Int], weights: [Int] = []) -> HashRing {
        HashRing(
            servers.enumerated().map { index, server in
                (
                    server: server, name: hasher.hash("http://10.0.0.\(server):80"),
                    weight: weights.isEmpty ? 1 : weights[index]
                )
            })
    }

    private func owners(_ ring: HashRing) -> [Int?] { values.map { ring.first(from: $0) { _ in true } } }

    private func share(_ owners: [Int?], of server: Int) -> Double {
        Double(owners.count { $0 == server }) / Double(owners.count)
    }

    @Test func everyServerOwnsAboutItsShare() {
        let owners = owners(ring(Array(0..<5)))
        for server in 0..<5 { #expect((0.13...0.28).contains(share(owners, of: server))) }
    }

    @Test func weightsCount() {
        let owners = owners(ring([0, 1, 2], weights: [1, 1, 2]))
        #expect((0.42...0.58).contains(share(owners, of: 2)))
    }

    @Test func commonFactorsOfWeightsChangeNothing() {
        #expect(owners(ring([0, 1], weights: [64, 128])) == owners(ring([0, 1], weights: [1, 2])))
    }

    @Test func aNewServerTakesOnlyItsOwnShare() {
        let (before, after) = (owners(ring(Array(0..<9))), owners(ring(Array(0..<10))))
        let moved = zip(before, after).filter { $0 != $1 }
        #expect(moved.allSatisfy { $0.1 == 9 })
        #expect((0.06...0.15).contains(Double(moved.count) / Double(values.count)))
    }

    @Test func theValuesOfAServerThatIsOutAreSpreadOverTheOthersAndComeBack() {
        let ring = ring(Array(0..<5))
        let before = owners(ring)
        let without = values.map { value in ring.first(from: value) { $0 != 2 } }
        let moved = zip(before, without).filter { $0 != $1 }
        #expect(moved.allSatisfy { $0.0 == 2 })
        for server in [0, 1, 3, 4] { #expect(share(moved.map(\.1), of: server) > 0.1) }
        #expect(owners(ring) == before)
    }

    @Test func nobodyOwnsWhatNobodyTakes() {
        #expect(ring([0, 1]).first(from: 7) { _ in false } == nil)
        #expect(HashRing([]).first(from: 7) { _ in true } == nil)
    }

    @Test(arguments: [
        (servers: 1000, weights: [1]), (16, [256 * 64 / 3, 256 * 64]), (100, [1, 256 * 64]), (1, [16_384]),
        (HashRing.maximumPoints, [1, 7]),
    ])
    func pointsAreBounded(servers: Int, weights: [Int]) {
        let ring = HashRing(
            (0..<servers).map { (server: $0, name: UInt64($0).mixed, weight: weights[$0 % weights.count]) })
        #expect((servers...HashRing.maximumPoints).contains(ring.count))
        #expect(ring.first(from: .max) { _ in true } != nil)
    }

    @Test func weightsWithoutACommonFactorCountWhereThereAreMany() {
        let owners = owners(ring([0, 1, 2], weights: [5461, 5462, 16_384]))
        for (server, share) in [(0, 0.2), (1, 0.2), (2, 0.6)] {
            #expect((share - 0.05...share + 0.05).contains(self.share(owners, of: server)))
        }
    }
}
