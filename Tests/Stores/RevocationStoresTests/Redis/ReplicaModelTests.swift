import Testing

@testable import RevocationStores
@testable import SystemFixtures

/// Random interleavings of writers, a replica and a server with faults.
@Suite struct ReplicaModelTests {
    static let timing: ReplicaTiming = {
        var timing = ReplicaTiming()
        timing.reread = .seconds(20)
        return timing
    }()

    static let bounds: ReplicaBounds = {
        var bounds = ReplicaBounds()
        (bounds.entries, bounds.hints, bounds.records) = (3, 2, 2)
        return bounds
    }()

    @Test(arguments: 0..<8)
    func `the table is never confirmed without the acknowledged writes`(_ block: Int) {
        for number in 0..<Thoroughness.rounds(8, full: 25) {
            let seed = UInt64(block * 2000 + number)
            var model = ReplicaModel(seed: seed, timing: Self.timing, bounds: Self.bounds)
            for _ in 0..<1500 { step(&model) }
            resolve(&model)
            #expect(model.problems.isEmpty, "seed \(seed)")
            #expect(model.table == model.server.records, "seed \(seed)")
            #expect((model.age ?? .max) < 6_000_000_000, "seed \(seed)")
            if !model.problems.isEmpty { return }
        }
    }

    private func step(_ model: inout ReplicaModel) {
        switch model.random.below(1000) {
        case 0..<350: model.execute()
        case 350..<700: model.deliver()
        case 700..<800: model.advance(UInt64(model.random.below(3_000_000)))
        case 800..<815: model.advance(UInt64(model.random.below(400_000_000)))
        case 815..<820: model.advance(5_000_000_000)
        case 820..<870: model.begin(ReplicaModel.uids[model.random.below(ReplicaModel.uids.count)])
        case 870..<930: model.finish()
        case 930..<970: model.connect()
        case 970..<975: model.loseConnection()
        case 975..<980: model.refuse()
        case 980..<984: model.trim()
        case 984..<987: model.removeEntry()
        case 987..<989: model.deleteStream()
        case 989..<996: model.snapshot()
        default: model.failOver()
        }
    }

    /// Finishes all writes and reads without faults.
    private func resolve(_ model: inout ReplicaModel) {
        model.finishAll()
        model.connect()
        for _ in 0..<3000 {
            model.execute()
            model.deliver()
            model.advance(4_000_000)
        }
    }
}
