import HTTPWire
import Testing

struct ChunkDecoderTests {
    static let bodies: [(text: String, payload: String, trailers: String)] = [
        ("0\r\n\r\n", "", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello", ""),
        ("1\r\na\r\n2\r\nbc\r\n000\r\n\r\n", "abc", ""),
        ("00000000000A\r\n0123456789\r\n0\r\n\r\n", "0123456789", ""),
        ("9;x=y;z=\"q\tr;\\\"\"\r\n\r\n0\r\n\r\n\r\n\r\n0;last\r\n\r\n", "\r\n0\r\n\r\n\r\n", ""),
        ("1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", "x", "A: b\r\nC:\r\n\r\n"),
    ]

    @Test(arguments: bodies)
    func `every split gives the same payload and trailers`(text: String, payload: String, trailers: String) throws {
        let bytes = Array((text + "GET /next").utf8)
        for first in 0...bytes.count {
            for second in [first, min(first + 1, bytes.count), min(first + 3, bytes.count)] {
                var feed = ChunkFeed()
                for piece in [bytes[..<first], bytes[first..<second], bytes[second...]] { try feed.feed(piece) }
                #expect(String(decoding: feed.payload, as: UTF8.self) == payload)
                #expect(String(decoding: feed.trailers, as: UTF8.self) == trailers)
                #expect(String(decoding: feed.unread, as: UTF8.self) == "GET /next")
            }
        }
    }

    @Test(arguments: bodies)
    func `single bytes give the same body`(text: String, payload: String, trailers: String) throws {
        var feed = ChunkFeed()
        for byte in text.utf8 {
            #expect(!feed.decoder.isFinished)
            try feed.feed([byte])
        }
        #expect(feed.decoder.isFinished)
        #expect(String(decoding: feed.payload, as: UTF8.self) == payload)
        #expect(String(decoding: feed.trailers, as: UTF8.self) == trailers)
    }

    @Test func `payload is delivered before its chunk ends`() throws {
        let feed = try decodeChunks("ff\r\nonly this")
        #expect(String(decoding: feed.payload, as: UTF8.self) == "only this")
        #expect(feed.unread.isEmpty)
    }

    @Test(arguments: [
        "\r\n", ";x\r\n", " 5\r\n", "5 \r\n", "5\t;x\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", "g\r\n", "5.\r\n", "5\n",
        "5,\r\n", "5\u{0}\r\n", "00000000000000005\r\n", "fffffffffffffffff\r\n", "\u{ff15}\r\n", "5\"\r\n",
    ])
    func `K-01: an invalid chunk size is rejected`(text: String) {
        #expect(chunkRefusal(text.utf8) == .invalidSize)
    }

    @Test(arguments: ["5\rhello", "5;x\nhello", "5;\u{0}", "5;x\r\r\n"])
    func `CVE-2025-22871: a size line ends in CRLF, not in LF or CR alone`(text: String) {
        #expect(chunkRefusal(text.utf8) == .invalidExtension)
    }

    @Test(arguments: ["8000000000000000", "ffffffffffffffff", "FFFFFFFFFFFFFFF0"])
    func `a size above the largest integer is rejected`(size: String) {
        #expect(chunkRefusal((size + "\r\n").utf8) == .sizeTooLarge)
        #expect(chunkRefusal("7fffffffffffffff\r\nx".utf8) == nil)
    }

    @Test(arguments: ["1\r\nab", "1\r\na\n0\r\n\r\n", "1\r\na\r0", "1\r\na\r\r\n"])
    func `K-01: a payload ends in CRLF`(text: String) {
        #expect(chunkRefusal((text + "\n").utf8) == .missingLineEnd)
    }

    @Test func `the length of an extension is limited`() {
        let longest = ";" + String(repeating: "x", count: 255)
        #expect(chunkRefusal("1\(longest)\r\na\r\n0\(longest)\r\n\r\n".utf8) == nil)
        #expect(chunkRefusal("1\(longest)y\r\n".utf8) == .extensionTooLong)
    }

    @Test(arguments: [UInt8(0), 0x01, 0x0A, 0x1B, 0x7F]) func `an extension has no control bytes`(byte: UInt8) {
        #expect(chunkRefusal(Array("1;a".utf8) + [byte]) == .invalidExtension)
        #expect(chunkRefusal(Array("1;a=\"\\".utf8) + [byte]) == .invalidExtension)
        #expect(chunkRefusal(Array("1;a=\"".utf8) + [0x80, 0xFF, 0x09]) == nil)
    }

    @Test(arguments: [
        ";\r\n", ";;a\r\n", ";a;\r\n", ";=b\r\n", ";a=\r\n", ";a=;b\r\n", ";a=b=c\r\n", ";a=b\"c\"\r\n", ";\"a\"\r\n",
        ";a=\"b\"c\r\n", ";a=\"b\r\n", ";a=\"b\\\r\n", "; a\r\n", ";a \r\n", ";a =b\r\n", ";a= b\r\n", ";a\t\r\n",
        ";a,b\r\n", ";a=\"b\" \r\n", ";a=/\r\n", ";\u{e9}\r\n", ";a=\u{e9}\r\n",
    ])
    func `K-01: an extension that is not a name with an optional value is rejected`(text: String) {
        #expect(chunkRefusal(("0" + text).utf8) == .invalidExtension)
    }

    @Test func `the size of trailers is limited`() {
        let fits = "0\r\nX: " + String(repeating: "y", count: 8_192 - 7) + "\r\n\r\n"
        #expect(chunkRefusal(fits.utf8) == nil)
        #expect(chunkRefusal(fits.replacing("X: ", with: "X: y").utf8) == .trailersTooLarge)
    }

    @Test func `the number of trailer fields is limited`() {
        #expect(chunkRefusal(("0\r\n" + String(repeating: "X:\r\n", count: 64) + "\r\n").utf8) == nil)
        let refusal = chunkRefusal(("0\r\n" + String(repeating: "X:\r\n", count: 65) + "\r\n").utf8)
        #expect(refusal == .malformedTrailers(.tooManyFields))
    }

    @Test func `trailers without an end are rejected at the limit`() throws {
        var feed = ChunkFeed()
        try feed.feed("0\r\n".utf8)
        for _ in 0..<8_191 { try feed.feed([0x61]) }
        #expect(feed.mostUnread == 8_191)
        #expect(throws: ChunkError.trailersTooLarge) { try feed.feed([0x61]) }
    }

    @Test(arguments: [
        "X : y\r\n\r\n", " X: y\r\n\r\n", ": y\r\n\r\n", "X: y\n\r\n", "X: y\r\n z\r\n\r\n", "X: \u{0}\r\n\r\n",
        "X\r\n\r\n", "X: y\n\n", "\rX",
    ])
    func `K-01: trailers follow the rules of field lines`(section: String) {
        guard case .malformedTrailers = chunkRefusal(("0\r\n" + section).utf8) else {
            Issue.record("accepted or another error")
            return
        }
    }

    @Test func `an empty buffer changes nothing`() throws {
        var decoder = ChunkDecoder()
        #expect(try decoder.next(UnsafeRawBufferPointer(start: nil, count: 0)) == .needsMore(consumed: 0))
    }

    @Test(
        arguments: [
            (0, "0"), (1, "1"), (15, "f"), (16, "10"), (255, "ff"), (256, "100"), (4_096, "1000"),
            (0xDEAD_BEEF, "deadbeef"), (UInt64.max, "ffffffffffffffff"),
        ] as [(UInt64, String)])
    func `a chunk header is the size in hexadecimal`(size: UInt64, digits: String) {
        var output = [UInt8](repeating: 0, count: ChunkHeader.maximumLength)
        let count = output.withUnsafeMutableBytes { ChunkHeader.write(size, into: $0) }
        #expect(String(decoding: output[..<count], as: UTF8.self) == digits + "\r\n")
    }
}
