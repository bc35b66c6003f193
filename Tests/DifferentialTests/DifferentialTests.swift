import Foundation
import Testing

@testable import SystemFixtures

/// The same generated and damaged bytes through our parsers and NIO's, cut into different pieces.
///
/// `GATEHOUSE_DIFFERENTIAL_STREAMS` sets the number of streams of each kind, `GATEHOUSE_DIFFERENTIAL_SEED` the seed of
/// the first one. The seed of each further stream is one higher, so that a failure's seed and one stream reproduce it.
@Suite(.serialized) struct DifferentialTests {
    private static let streams = Int(setting("STREAMS") ?? "") ?? Thoroughness.rounds(1500, full: 5000)
    private static let seed = UInt64(setting("SEED") ?? "") ?? 1

    private static func setting(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["GATEHOUSE_DIFFERENTIAL_\(name)"]
    }

    @Test(arguments: Traffic.allCases)
    func `no stream is accepted that NIO refuses, or read differently`(traffic: Traffic) throws {
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

/// Known smuggling techniques, read by each parser in one piece and byte by byte.
@Suite struct ClassicTests {
    @Test(arguments: Classic.all)
    func `each parser reads a known smuggling technique as listed`(classic: Classic) throws {
        let bytes = Array(1..<classic.stream.bytes.count)
        let nio = try NIOReader()
        for cuts in [[], bytes] {
            #expect(ClassicTests.verdict(OwnReader().read(classic.stream, cuts: cuts)) == classic.own, "ours")
            #expect(ClassicTests.verdict(nio.read(classic.stream, cuts: cuts)) == classic.nio, "NIO's")
        }
    }

    private static func verdict(_ reading: Reading) -> Classic.Verdict {
        if case .refused = reading.ending { .refused } else { .messages(reading.messages.count) }
    }
}

extension Classic: CustomTestStringConvertible {
    var testDescription: String { "\(name) (\(section))" }
}

/// Each difference that the runs permit occurs, under its name.
@Suite struct ListedDifferenceTests {
    @Test(arguments: KnownDifference.allCases)
    func `each known difference occurs`(difference: KnownDifference) throws {
        let comparison = try Readers().compare(difference.example)
        #expect(comparison.met.contains(difference) || comparison.outcome == .listed(difference), "\(comparison)")
        #expect(difference.section.hasPrefix("RFC 91"))
    }

    @Test(arguments: StricterRule.all)
    func `each reason to refuse a stream that NIO accepts occurs`(rule: StricterRule) throws {
        let comparison = try Readers().compare(rule.example)
        #expect(comparison.outcome == .stricter(rule.reason), "\(comparison)")
        #expect(rule.section.hasPrefix("RFC 91"))
    }
}
