import Foundation
import Testing

@testable import SystemFixtures

/// The same generated and damaged bytes through our parsers and NIO's, each in pieces of its own.
///
/// `GATEHOUSE_DIFFERENTIAL_STREAMS` sets how many there are of each kind, `GATEHOUSE_DIFFERENTIAL_SEED` the first one's
/// seed; the next one's is one higher, so that a failure's seed and one stream show it again.
@Suite(.serialized) struct DifferentialTests {
    private static let streams = Int(setting("STREAMS") ?? "") ?? 20_000
    private static let seed = UInt64(setting("SEED") ?? "") ?? 1

    private static func setting(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["GATEHOUSE_DIFFERENTIAL_\(name)"]
    }

    @Test(arguments: Traffic.allCases)
    func noStreamIsAcceptedThatNIORefusesNorReadInAnotherWay(traffic: Traffic) throws {
        let readers = try Readers()
        var tally = Tally()
        for number in 0..<UInt64(DifferentialTests.streams) {
            let seed = DifferentialTests.seed &+ number
            var random = SeededRandom(seed: seed)
            let stream = traffic.stream(&random)
            tally.add(readers.compare(stream, &random), stream, seed: seed)
        }
        print("differential, \(traffic.rawValue) from seed \(DifferentialTests.seed): \(tally)")
        #expect(tally.failures.isEmpty, "\(tally.failures.joined(separator: "\n"))")
    }
}
