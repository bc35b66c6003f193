import HTTPWire
import Testing

@testable import SystemFixtures

/// Random and damaged input: nothing crashes, and what is accepted keeps what the types promise.
@Suite struct FuzzTests {
    private static let pieces: [String] = [
        "GET ", "/", " ", "HTTP/1.1", "\r\n", "\n", "\r", "Host", ":", "a", "Content-Length: 5",
        "Transfer-Encoding: chunked",
        "Connection: ", "close", ",", ";", "\t", "\u{0}", "\u{7f}", "\u{e9}", "http://", "[::1]", "?", "#", "*",
        "Expect: 100-continue",
        "Cookie: a=b", "0", "5", "f", "%", "@", "HTTP/1.0", "200", "\r\n\r\n",
    ]

    /// A copy of `bytes` with some bytes changed, removed or added.
    private func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0...3, using: &random) {
            case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            default: bytes.insert(contentsOf: (FuzzTests.pieces.randomElement(using: &random) ?? "").utf8, at: place)
            }
        }
        return bytes
    }

    /// A row of pieces that heads and bodies are made of.
    private func assembled(_ random: inout SeededRandom) -> [UInt8] {
        (0..<Int.random(in: 0...20, using: &random)).flatMap { _ in
            Array((FuzzTests.pieces.randomElement(using: &random) ?? "").utf8)
        }
    }

    @Test func requestHeads() {
        var random = SeededRandom(seed: 1)
        let corpus = validRequests.map { Array($0.utf8) }
        for round in 0..<20_000 {
            let bytes = round.isMultiple(of: 4) ? assembled(&random) : damaged(corpus[round % corpus.count], &random)
            guard let request = try? ParsedRequest(bytes) else { continue }
            #expect(promisesHold(request), "\(bytes)")
        }
    }

    private func promisesHold(_ request: ParsedRequest) -> Bool {
        let head = request.head
        let target = Array(request.bytes[head.target.range])
        let lines = (0..<request.fields.count).map { request.bytes[request.fields[$0].line.range] }
        return head.length == request.bytes.count && head.framing != .untilClose
            && target.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }
            && head.path.upperBound <= head.target.upperBound && head.path.lowerBound >= head.target.lowerBound
            && (head.minorVersion == 0 || !head.hostName.name.isEmpty)
            && lines.allSatisfy {
                $0.suffix(2).elementsEqual([0x0D, 0x0A]) && !$0.dropLast(2).contains { $0 == 0x0D || $0 == 0x0A }
            }
            && !(request.fields.contains(.contentLength) && request.fields.contains(.transferEncoding))
    }

    @Test func responseHeads() {
        var random = SeededRandom(seed: 2)
        let corpus = [
            answer(200, "Content-Length: 5"), answer(101, "Connection: upgrade", "Upgrade: x"),
            answer(304, "ETag: \"x\""),
        ]
        for round in 0..<15_000 {
            let start = Array(corpus[round % corpus.count].utf8)
            let bytes = round.isMultiple(of: 4) ? assembled(&random) : damaged(start, &random)
            guard let response = try? ParsedResponse(bytes, to: round.isMultiple(of: 3) ? .head : .get) else {
                continue
            }
            #expect((100...999).contains(response.head.status) && response.head.length == bytes.count, "\(bytes)")
            #expect(response.head.framing != .untilClose || !response.head.keepAlive, "\(bytes)")
        }
    }

    @Test func theScannerAgreesWithThePlainSearch() {
        var random = SeededRandom(seed: 3)
        let alphabet = Array("\r\n\r\n\r\na".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            var scanned = 0
            var found: Int?
            for count in 0...bytes.count where found == nil {
                found = bytes[..<count].withUnsafeBytes { HeadScan.end(in: $0, scanned: &scanned) }
            }
            #expect(found == plainEnd(bytes), "\(bytes)")
        }
    }

    private func plainEnd(_ bytes: [UInt8]) -> Int? {
        for index in bytes.indices where bytes[index] == 0x0A {
            let rest = bytes[(index + 1)...]
            if rest.starts(with: [0x0A]) { return index + 2 }
            if rest.starts(with: [0x0D, 0x0A]) { return index + 3 }
        }
        return nil
    }

    @Test func chunkedBodiesAreTheSameHoweverTheyAreSplit() {
        var random = SeededRandom(seed: 4)
        let corpus = [
            "5\r\nhello\r\n0\r\n\r\n", "1;x\r\na\r\n0\r\nA: b\r\n\r\n",
            "10\r\n0123456789abcdef\r\n2\r\nxy\r\n0\r\n\r\n",
        ]
        for round in 0..<6_000 {
            let bytes = round.isMultiple(of: 4) ? assembled(&random) : damaged(Array(corpus[round % 3].utf8), &random)
            let whole = outcome([bytes[...]])
            let split = Int.random(in: 0...bytes.count, using: &random)
            #expect(outcome([bytes[..<split], bytes[split...]]) == whole, "\(bytes) at \(split)")
            #expect(outcome(bytes.indices.map { bytes[$0...$0] }) == whole, "\(bytes)")
        }
    }

    private struct Outcome: Equatable {
        var payload: [UInt8]
        var trailers: [UInt8]
        var finished: Bool
        var failed: Bool
    }

    private func outcome(_ parts: [ArraySlice<UInt8>]) -> Outcome {
        var feed = ChunkFeed()
        var failed = false
        do { for part in parts { try feed.feed(part) } } catch { failed = true }
        return Outcome(
            payload: feed.payload, trailers: feed.trailers, finished: feed.decoder.isFinished, failed: failed)
    }
}
