import HTTPWire
import Testing

@Suite struct ChunkDecoderTests {
    struct Body: Sendable {
        var text: String
        var payload: String
        var trailers = ""

        static let table = [
            Body(text: "0\r\n\r\n", payload: ""),
            Body(text: "5\r\nhello\r\n0\r\n\r\n", payload: "hello"),
            Body(text: "1\r\na\r\n2\r\nbc\r\n000\r\n\r\n", payload: "abc"),
            Body(text: "00000000000A\r\n0123456789\r\n0\r\n\r\n", payload: "0123456789"),
            Body(text: "9;x=y;z=\"q\tr;\\\"\"\r\n\r\n0\r\n\r\n\r\n\r\n0;last\r\n\r\n", payload: "\r\n0\r\n\r\n\r\n"),
            Body(text: "1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", payload: "x", trailers: "A: b\r\nC:\r\n\r\n"),
        ]
    }

    @Test(arguments: Body.table)
    func everySplitGivesTheSamePayloadAndTrailers(body: Body) throws {
        let bytes = Array((body.text + "GET /next").utf8)
        for first in 0...bytes.count {
            for second in [first, min(first + 1, bytes.count), min(first + 3, bytes.count)] {
                var feed = ChunkFeed()
                for piece in [bytes[..<first], bytes[first..<second], bytes[second...]] { try feed.feed(piece) }
                #expect(String(decoding: feed.payload, as: UTF8.self) == body.payload)
                #expect(String(decoding: feed.trailers, as: UTF8.self) == body.trailers)
                #expect(String(decoding: feed.unread, as: UTF8.self) == "GET /next")
            }
        }
    }

    @Test(arguments: Body.table)
    func aBodyThatDripsByteByByteIsTheSame(body: Body) throws {
        var feed = ChunkFeed()
        for byte in body.text.utf8 {
            #expect(!feed.decoder.isFinished)
            try feed.feed([byte])
        }
        #expect(feed.decoder.isFinished)
        #expect(String(decoding: feed.payload, as: UTF8.self) == body.payload)
        #expect(String(decoding: feed.trailers, as: UTF8.self) == body.trailers)
    }

    @Test func payloadIsToldWithoutWaitingForItsEnd() throws {
        let feed = try decodeChunks("ff\r\nonly this")
        #expect(String(decoding: feed.payload, as: UTF8.self) == "only this")
        #expect(feed.unread.isEmpty)
    }

    @Test(
        "K-01: a size of another shape is refused",
        arguments: [
            "\r\n", ";x\r\n", " 5\r\n", "5 \r\n", "5\t;x\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", "g\r\n", "5.\r\n", "5\n",
            "5,\r\n", "5\u{0}\r\n",
            "00000000000000005\r\n", "fffffffffffffffff\r\n", "\u{ff15}\r\n", "5\"\r\n",
        ])
    func otherSizesAreRefused(text: String) {
        #expect(chunkRefusal(text.utf8) == .invalidSize)
    }

    @Test(
        "CVE-2025-22871: a size line ends in CRLF, not in LF or CR alone",
        arguments: ["5\rhello", "5;x\nhello", "5;\u{0}", "5;x\r\r\n"])
    func lineEndsAreStrict(text: String) {
        #expect(chunkRefusal(text.utf8) == .invalidExtension)
    }

    @Test(arguments: ["8000000000000000", "ffffffffffffffff", "FFFFFFFFFFFFFFF0"])
    func aSizeAboveTheLargestIntegerIsRefused(size: String) {
        #expect(chunkRefusal((size + "\r\n").utf8) == .sizeTooLarge)
        #expect(chunkRefusal("7fffffffffffffff\r\nx".utf8) == nil)
    }

    @Test(
        "K-01: a payload ends in CRLF",
        arguments: ["1\r\nab", "1\r\na\n0\r\n\r\n", "1\r\na\r0", "1\r\na\r\r\n"])
    func payloadsEndInCRLF(text: String) {
        #expect(chunkRefusal((text + "\n").utf8) == .missingLineEnd)
    }

    @Test func anExtensionIsBounded() {
        let longest = ";" + String(repeating: "x", count: 255)
        #expect(chunkRefusal("1\(longest)\r\na\r\n0\(longest)\r\n\r\n".utf8) == nil)
        #expect(chunkRefusal("1\(longest)y\r\n".utf8) == .extensionTooLong)
    }

    @Test(arguments: [UInt8(0), 0x01, 0x0A, 0x1B, 0x7F])
    func anExtensionHoldsNoControls(byte: UInt8) {
        #expect(chunkRefusal(Array("1;a".utf8) + [byte]) == .invalidExtension)
        #expect(chunkRefusal(Array("1;a=\"\\".utf8) + [byte]) == .invalidExtension)
        #expect(chunkRefusal(Array("1;a=\"".utf8) + [0x80, 0xFF, 0x09]) == nil)
    }

    @Test(
        "K-01: an extension that is not a name with, perhaps, a value is refused",
        arguments: [
            ";\r\n", ";;a\r\n", ";a;\r\n", ";=b\r\n", ";a=\r\n", ";a=;b\r\n", ";a=b=c\r\n", ";a=b\"c\"\r\n",
            ";\"a\"\r\n",
            ";a=\"b\"c\r\n", ";a=\"b\r\n", ";a=\"b\\\r\n", "; a\r\n", ";a \r\n", ";a =b\r\n", ";a= b\r\n", ";a\t\r\n",
            ";a,b\r\n",
            ";a=\"b\" \r\n", ";a=/\r\n", ";\u{e9}\r\n", ";a=\u{e9}\r\n",
        ])
    func extensionsFollowTheirGrammar(text: String) {
        #expect(chunkRefusal(("0" + text).utf8) == .invalidExtension)
    }

    @Test func trailersAreBounded() {
        let fits = "0\r\nX: " + String(repeating: "y", count: 8_192 - 7) + "\r\n\r\n"
        #expect(chunkRefusal(fits.utf8) == nil)
        #expect(chunkRefusal(fits.replacing("X: ", with: "X: y").utf8) == .trailersTooLarge)
    }

    @Test func trailerFieldsAreCounted() {
        #expect(chunkRefusal(("0\r\n" + String(repeating: "X:\r\n", count: 64) + "\r\n").utf8) == nil)
        let refusal = chunkRefusal(("0\r\n" + String(repeating: "X:\r\n", count: 65) + "\r\n").utf8)
        #expect(refusal == .malformedTrailers(.tooManyFields))
    }

    @Test func trailersWithoutAnEndAreRefusedAtTheBound() throws {
        var feed = ChunkFeed()
        try feed.feed("0\r\n".utf8)
        for _ in 0..<8_191 { try feed.feed([0x61]) }
        #expect(feed.mostUnread == 8_191)
        #expect(throws: ChunkError.trailersTooLarge) { try feed.feed([0x61]) }
    }

    @Test(
        "K-01: trailers follow the rules of field lines",
        arguments: [
            "X : y\r\n\r\n", " X: y\r\n\r\n", ": y\r\n\r\n", "X: y\n\r\n", "X: y\r\n z\r\n\r\n", "X: \u{0}\r\n\r\n",
            "X\r\n\r\n", "X: y\n\n", "\rX",
        ])
    func trailersAreStrict(section: String) {
        guard case .malformedTrailers = chunkRefusal(("0\r\n" + section).utf8) else {
            Issue.record("accepted or another error")
            return
        }
    }

    @Test func noBytesAreNoNews() throws {
        var decoder = ChunkDecoder()
        #expect(try decoder.next(UnsafeRawBufferPointer(start: nil, count: 0)) == .needsMore(consumed: 0))
    }

    @Test(
        arguments: [
            (0, "0"), (1, "1"), (15, "f"), (16, "10"), (255, "ff"), (256, "100"), (4_096, "1000"),
            (0xDEAD_BEEF, "deadbeef"),
            (UInt64.max, "ffffffffffffffff"),
        ] as [(UInt64, String)])
    func aHeaderIsTheSizeInHexadecimal(size: UInt64, digits: String) {
        var output = [UInt8](repeating: 0, count: ChunkHeader.maximumLength)
        let count = output.withUnsafeMutableBytes { ChunkHeader.write(size, into: $0) }
        #expect(String(decoding: output[..<count], as: UTF8.self) == digits + "\r\n")
    }
}
