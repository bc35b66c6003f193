import Foundation
import GatewayFuzzTargets
import Testing
import WireFuzzTargets

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

    static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fuzzing/corpora", directoryHint: .isDirectory).standardizedFileURL

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

    @Test func everyCorpusHasItsTarget() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(Set(folders) == Set(Self.targets.map(\.name)))
    }

    @Test func theSignedTokensOfTheTargetAreVerified() {
        #expect(countOfVerifiedTokens() == 10)
    }
}
