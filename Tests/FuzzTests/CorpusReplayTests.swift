import Foundation
import GatewayFuzzTargets
import Testing
import WireFuzzTargets

@testable import SystemFixtures

/// Every input that fuzzers were started with, or that was worth keeping of what they found, holds again.
@Suite struct CorpusReplayTests {
    struct Target: CustomTestStringConvertible, Sendable {
        let name: String
        let run: @Sendable (UnsafeRawBufferPointer) -> Void

        var testDescription: String { name }
    }

    static let targets = [
        Target(name: "heads", run: fuzzHeads),
        Target(name: "chunks", run: fuzzChunks),
        Target(name: "json", run: fuzzJSON),
        Target(name: "jwt", run: fuzzTokens),
        Target(name: "keys", run: fuzzKeySets),
        Target(name: "certificates", run: fuzzCertificates),
        Target(name: "cookies", run: fuzzCookies),
        Target(name: "rules", run: fuzzRules),
        Target(name: "regexes", run: fuzzRegexes),
        Target(name: "conditions", run: fuzzConditions),
        Target(name: "paths", run: fuzzPaths),
        Target(name: "configuration", run: fuzzConfiguration),
    ]

    static let corpora = Repository.root.appending(path: "Fuzzing/corpora", directoryHint: .isDirectory)

    /// A property that does not hold stops the whole run with its text; the input that was read last is at fault.
    @Test(arguments: targets) func eachInputKeepsTheTargetsProperties(_ target: Target) throws {
        let folder = Self.corpora.appending(path: target.name)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 20, "the corpus is empty or lost")
        for file in files {
            let input = try [UInt8](Data(contentsOf: file))
            input.withUnsafeBytes(target.run)
        }
    }

    /// Whole account calls wait for a store, which no synchronous target may in a test.
    @Test func `each input of whole calls keeps the properties of claims`() async throws {
        let folder = Self.corpora.appending(path: "claims")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 20, "the corpus is empty or lost")
        for file in files { await fuzzAccountClaims(try [UInt8](Data(contentsOf: file))) }
    }

    /// For longer runs, `GATEHOUSE_FUZZ_SECONDS`.
    @Test func `claims of random numbers keep the properties of claims`() async throws {
        let seconds = ProcessInfo.processInfo.environment["GATEHOUSE_FUZZ_SECONDS"].flatMap { Double($0) }
        let end = Date().addingTimeInterval(seconds ?? 2)
        var number: UInt64 = seconds == nil ? 0 : .random(in: 0...(.max / 2))
        let first = number
        while Date() < end {
            await fuzzAccountClaims(accountClaimsInput(number))
            number += 1
        }
        if let seconds { print("claims: \(number - first) inputs in \(seconds / 60) minutes, from \(first) on") }
    }

    @Test func everyCorpusHasItsTarget() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(Set(folders) == Set(Self.targets.map(\.name) + ["claims"]))
    }

    @Test func theSignedTokensOfTheTargetAreVerified() {
        #expect(countOfVerifiedTokens() == 10)
    }
}
