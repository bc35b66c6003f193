import Testing

@testable import Forwarding

@Suite struct SipHashTests {
    @Test(arguments: [
        (0, 0xabac_0158_050f_c4dc as UInt64), (1, 0xc9f4_9bf3_7d57_ca93), (7, 0xd392_7d98_9bb1_1140),
        (8, 0x3690_9511_8d29_9a8e), (15, 0xd320_d86d_2a51_9956), (63, 0x9d19_9062_b7bb_b3a8),
    ]) func `SipHash agrees with the reference`(length: Int, expected: UInt64) {
        let hasher = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        #expect((0..<length).map { UInt8($0) }.withUnsafeBytes { hasher.hash($0) } == expected)
    }
}

@Suite struct RetryBudgetTests {
    @Test func `a few retries a second are always allowed`() {
        var budget = RetryBudget(percent: 0)
        budget.tick(now: 1_000_000_000)
        let taken = (1...5).map { _ in budget.take() }
        #expect(taken == [true, true, true, false, false])
        budget.tick(now: 1_900_000_000)
        #expect(budget.take() == false)
        budget.tick(now: 2_000_000_000)
        #expect(budget.take() == true)
    }

    @Test func `more requests allow more retries`() {
        var budget = RetryBudget(percent: 20)
        for _ in 0..<100 { budget.recordRequest() }
        let taken = (0..<40).count { _ in budget.take() }
        #expect(taken == 23)
    }

    @Test func `old requests do not allow retries`() {
        var budget = RetryBudget(percent: 20)
        budget.tick(now: 1_000_000_000)
        for _ in 0..<1000 { budget.recordRequest() }
        budget.tick(now: 20_000_000_000)
        let taken = (0..<40).count { _ in budget.take() }
        #expect(taken == 3)
    }
}

@Suite struct HealthVerdictTests {
    @Test func `the health state changes after consecutive results`() {
        var verdict = HealthVerdict(healthy: 2, unhealthy: 3)
        let checks = [false, false, true, false, false, false, true, false, true, true]
        let verdicts = checks.map { verdict.checked(passed: $0) }
        #expect(verdicts == [true, true, true, true, true, false, false, false, false, true])
    }
}

@Suite struct CertificateNameTests {
    @Test(arguments: [
        ("api.example.com", "api.example.com", true), ("API.example.com.", "api.EXAMPLE.com", true),
        ("*.example.com", "api.example.com", true), ("api.example.com", "other.example.com", false),
        ("*.example.com", "a.b.example.com", false), ("*.example.com", "example.com", false),
        ("*.com", "example.com", false), ("a*.example.com", "api.example.com", false), ("*", "localhost", false),
        ("", "", false), ("*.example.com", ".example.com", false),
    ])
    func `a certificate name matches only its hosts`(pattern: String, name: String, matches: Bool) {
        #expect(CertificateName.matches(pattern, name) == matches)
    }
}

@Suite struct WeightedTurnsTests {
    private func turns(_ weights: [UInt64], _ count: Int) -> [Int] {
        var turns = WeightedTurns()
        turns.begin(Array(weights.indices)) { weights[$0] }
        return (0..<count).map { _ in turns.next { weights[$0] } }
    }

    @Test(arguments: [
        ([1, 1, 1], [0, 1, 2, 0, 1, 2, 0]), ([3], [0, 0, 0]), ([5, 1, 1], [0, 0, 0, 1, 2, 0, 0]),
    ])
    func `the turns of a heavy server are spread`(weights: [UInt64], expected: [Int]) {
        #expect(turns(weights, expected.count) == expected)
    }

    @Test(arguments: [[1, 2, 3], [10, 1], [256, 1, 7, 7], [3, 3, 3, 1]])
    func `each server gets its share of every interval`(weights: [UInt64]) {
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

    @Test func `turns continue past the horizon`() {
        // The weights are so small relative to the unit that the due times grow fast.
        var turns = WeightedTurns()
        turns.begin([0, 1]) { _ in 1 }
        var counts = [0, 0]
        // 2^62 is exceeded after 2^18 turns of each.
        for _ in 0..<(1 << 20) { counts[turns.next { _ in 1 }] += 1 }
        #expect(counts == [1 << 19, 1 << 19])
    }
}

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

    @Test func `every server owns about its share`() {
        let owners = owners(ring(Array(0..<5)))
        for server in 0..<5 { #expect((0.13...0.28).contains(share(owners, of: server))) }
    }

    @Test(arguments: [([1, 1, 2], [(2, 0.42...0.58)]), ([5461, 5462, 16_384], [(0, 0.15...0.25), (2, 0.55...0.65)])])
    func `the share follows the weight`(weights: [Int], shares: [(Int, ClosedRange<Double>)]) {
        let owners = owners(ring([0, 1, 2], weights: weights))
        for (server, range) in shares { #expect(range.contains(share(owners, of: server))) }
    }

    @Test func `common factors of weights change nothing`() {
        #expect(owners(ring([0, 1], weights: [64, 128])) == owners(ring([0, 1], weights: [1, 2])))
    }

    @Test func `a new server takes only its own share`() {
        let (before, after) = (owners(ring(Array(0..<9))), owners(ring(Array(0..<10))))
        let moved = zip(before, after).filter { $0 != $1 }
        #expect(moved.allSatisfy { $0.1 == 9 })
        #expect((0.06...0.15).contains(Double(moved.count) / Double(values.count)))
    }

    @Test func `the values of an ejected server are spread over the others and return`() {
        let ring = ring(Array(0..<5))
        let before = owners(ring)
        let without = values.map { value in ring.first(from: value) { $0 != 2 } }
        let moved = zip(before, without).filter { $0 != $1 }
        #expect(moved.allSatisfy { $0.0 == 2 })
        for server in [0, 1, 3, 4] { #expect(share(moved.map(\.1), of: server) > 0.1) }
        #expect(owners(ring) == before)
    }

    @Test func `no server owns a value that all reject`() {
        #expect(ring([0, 1]).first(from: 7) { _ in false } == nil)
        #expect(HashRing([]).first(from: 7) { _ in true } == nil)
    }

    @Test(arguments: [
        (servers: 1000, weights: [1]), (16, [256 * 64 / 3, 256 * 64]), (100, [1, 256 * 64]), (1, [16_384]),
        (HashRing.maximumPoints, [1, 7]),
    ])
    func `points are bounded`(servers: Int, weights: [Int]) {
        let ring = HashRing(
            (0..<servers).map { (server: $0, name: UInt64($0).mixed, weight: weights[$0 % weights.count]) })
        #expect((servers...HashRing.maximumPoints).contains(ring.count))
        #expect(ring.first(from: .max) { _ in true } != nil)
    }
}

@Suite struct ServerEjectionTests {
    private static let rule = ServerEjection.Rule(failures: 3, time: 10, maxTime: 60, maxShare: 50)
    private var ejection = ServerEjection()

    private mutating func fail(_ now: UInt64, mayEject: Bool = true) -> UInt64? {
        ejection.failed(now: now, rule: Self.rule, mayEject: mayEject)
    }

    @Test mutating func `consecutive failures eject a server`() {
        for now in 1...2 { #expect(fail(UInt64(now)) == nil) }
        ejection.succeeded(now: 3, rule: Self.rule)
        for now in 4...5 { #expect(fail(UInt64(now)) == nil) }
        #expect(fail(6) == 10)
        #expect(ejection.isEjected)
    }

    @Test mutating func `a server stays if no more may be ejected`() {
        for now in 1...9 { #expect(fail(UInt64(now), mayEject: false) == nil) }
        #expect(!ejection.isEjected)
    }

    @Test mutating func `an ejected server returns on trial after its time`() {
        for now in 1...3 { _ = fail(UInt64(now)) }
        #expect(ejection.returns(now: 12) == false)
        #expect(ejection.returns(now: 13) == true)
        #expect(!ejection.isEjected && ejection.isOnTrial)
        ejection.succeeded(now: 14, rule: Self.rule)
        #expect(!ejection.isOnTrial)
    }

    @Test mutating func `each further ejection is twice as long up to the maximum`() {
        var now: UInt64 = 0
        var times: [UInt64] = []
        for _ in 1...3 { _ = fail(now) }
        for _ in 1...5 {
            times.append(ejection.until - now)
            now = ejection.until
            #expect(ejection.returns(now: now) == true)
            // On trial, one failure is sufficient.
            _ = fail(now)
        }
        #expect(times == [10, 20, 40, 60, 60])
    }

    @Test mutating func `an old ejection is forgotten`() {
        for now in 1...3 { _ = fail(UInt64(now)) }
        _ = ejection.returns(now: 13)
        ejection.succeeded(now: 20, rule: Self.rule)
        ejection.succeeded(now: 80, rule: Self.rule)
        _ = fail(81)
        _ = fail(82)
        #expect(fail(83) == 10)
    }

    @Test mutating func `results during an ejection are ignored`() {
        for now in 1...3 { _ = fail(UInt64(now)) }
        #expect(fail(4) == nil)
        ejection.succeeded(now: 5, rule: Self.rule)
        #expect(ejection.isEjected && ejection.until == 13)
    }
}
