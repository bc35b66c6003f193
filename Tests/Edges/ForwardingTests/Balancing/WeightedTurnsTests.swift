import Testing

@testable import Forwarding

@Suite struct WeightedTurnsTests {
    private func turns(_ weights: [UInt64], _ count: Int) -> [Int] {
        var turns = WeightedTurns()
        turns.begin(Array(weights.indices)) { weights[$0] }
        return (0..<count).map { _ in turns.next { weights[$0] } }
    }

    @Test func equalServersTakeTurns() {
        #expect(turns([1, 1, 1], 7) == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test func oneServerHasEveryTurn() {
        #expect(turns([3], 3) == [0, 0, 0])
    }

    @Test func aHeavyServersTurnsAreSpread() {
        #expect(turns([5, 1, 1], 7) == [0, 0, 0, 1, 2, 0, 0])
    }

    @Test(arguments: [[1, 2, 3], [10, 1], [256, 1, 7, 7], [3, 3, 3, 1]])
    func eachGetsItsShareOfEveryStretch(weights: [UInt64]) {
        let total = Int(weights.reduce(0, +))
        let sequence = turns(weights, total * 40)
        for start in stride(from: 0, to: sequence.count - total, by: 7) {
            let stretch = sequence[start..<start + total]
            for (server, weight) in weights.enumerated() {
                let count = stretch.count { $0 == server }
                #expect(abs(count - Int(weight)) <= 1, "\(server) of \(weights)")
            }
        }
    }

    @Test func goesOnPastTheHorizon() {
        // Weights so small against the unit that the due times grow fast.
        var turns = WeightedTurns()
        turns.begin([0, 1]) { _ in 1 }
        var counts = [0, 0]
        // 2^62 is passed after 2^18 turns of each.
        for _ in 0..<(1 << 20) { counts[turns.next { _ in 1 }] += 1 }
        #expect(counts == [1 << 19, 1 << 19])
    }
}
