import Foundation
import GatewayFuzzTargets
import HTTP2FuzzTargets
import Testing
import WireFuzzTargets

@testable import SystemFixtures

/// Replays the corpora of the fuzzers: their first inputs and the inputs that they found.
struct CorpusReplayTests {
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
        Target(name: "http2-fields", run: fuzzHTTP2Fields),
        Target(name: "http2-frames", run: fuzzHTTP2Frames),
    ]

    static let corpora = Repository.root.appending(path: "Fuzzing/corpora", directoryHint: .isDirectory)

    private static let pieces = [
        "GET ", "/", " ", "HTTP/1.1", "\r\n", "\n", "\r", "Host", ":", "a", "Content-Length: 5",
        "Transfer-Encoding: chunked", "Connection: ", "close", ",", ";", "\t", "\u{0}", "\u{7f}", "\u{e9}", "http://",
        "[::1]", "?", "#", "*", "Expect: 100-continue", "Cookie: a=b", "0", "5", "f", "%", "@", "HTTP/1.0", "200",
        "\r\n\r\n",
    ]

    /// Returns the inputs of a corpus in a fixed order.
    private static func inputs(of name: String) throws -> [[UInt8]] {
        let folder = corpora.appending(path: name)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 20, "the corpus is empty or lost")
        return try files.sorted { $0.path < $1.path }.map { try [UInt8](Data(contentsOf: $0)) }
    }

    /// A property that does not hold stops the whole run with its text; the last input is at fault.
    @Test(arguments: targets) func `each input of a corpus keeps the properties of its target`(target: Target) throws {
        for input in try Self.inputs(of: target.name) { input.withUnsafeBytes(target.run) }
    }

    @Test(arguments: targets.prefix(2))
    func `damaged inputs keep the properties of their target`(target: Target) throws {
        var random = SeededRandom(seed: 1)
        let corpus = try Self.inputs(of: target.name)
        for round in 0..<Thoroughness.rounds(1000, full: 5000) {
            var input = round.isMultiple(of: 4) ? [] : corpus[round % corpus.count]
            let changes = Int.random(in: 0...(input.isEmpty ? 20 : 3), using: &random)
            for _ in 0..<changes { Self.damage(&input, &random) }
            input.withUnsafeBytes(target.run)
        }
    }

    /// Changes, removes or adds a byte, or adds a piece of a head or body.
    private static func damage(_ input: inout [UInt8], _ random: inout SeededRandom) {
        let place = Int.random(in: 0...input.count, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0 where place < input.count: input[place] = UInt8.random(in: 0...255, using: &random)
        case 1 where place < input.count: input.remove(at: place)
        case 2: input.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: input.insert(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8, at: place)
        }
    }

    /// Account calls wait for a store, which no synchronous target may do.
    @Test func `each input of whole calls keeps the properties of claims`() async throws {
        for input in try Self.inputs(of: "claims") { await fuzzAccountClaims(input) }
    }

    /// For longer runs, `GATEHOUSE_FUZZ_SECONDS`.
    @Test func `random claims keep the properties of claims`() async throws {
        let seconds = ProcessInfo.processInfo.environment["GATEHOUSE_FUZZ_SECONDS"].flatMap { Double($0) }
        let end = Date().addingTimeInterval(seconds ?? 0)
        let rounds = UInt64(Thoroughness.rounds(100, full: 1000))
        var number: UInt64 = seconds == nil ? 0 : .random(in: 0...(.max / 2))
        let first = number
        while seconds == nil ? number < rounds : Date() < end {
            await fuzzAccountClaims(accountClaimsInput(number))
            number += 1
        }
        if let seconds { print("claims: \(number - first) inputs in \(seconds / 60) minutes, from \(first) on") }
    }

    @Test func `every corpus has a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(Set(folders) == Set(Self.targets.map(\.name) + ["claims"]))
    }

    @Test func `all signed tokens of the target are verified`() {
        #expect(countOfVerifiedTokens() == 10)
    }
}
