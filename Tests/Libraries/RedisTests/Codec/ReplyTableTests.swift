import Testing

@testable import Redis

struct ReplyTableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let values: [RedisValue]
        var testDescription: String { text.debugDescription }

        init(_ text: String, _ values: RedisValue...) {
            self.text = text
            self.values = values
        }
    }

    private static func string(_ text: String) -> RedisValue { .string(Array(text.utf8)) }

    static let cases = [
        Case("+OK\r\n", .status("OK")),
        Case("+\r\n", .status("")),
        Case("-ERR no such thing\r\n", .error(RedisServerError(code: "ERR", message: "no such thing"))),
        Case("-LOADING\r\n", .error(RedisServerError(code: "LOADING", message: ""))),
        Case("-\r\n", .error(RedisServerError(code: "", message: ""))),
        Case(":0\r\n", .integer(0)),
        Case(":-1\r\n", .integer(-1)),
        Case(":9223372036854775807\r\n", .integer(.max)),
        Case(":-9223372036854775808\r\n", .integer(.min)),
        Case("$-1\r\n", .null),
        Case("*-1\r\n", .null),
        Case("$0\r\n\r\n", string("")),
        Case("$5\r\na\r\nbc\r\n", string("a\r\nbc")),
        Case("$3\r\n\0\u{1}\u{2}\r\n", .string([0, 1, 2])),
        Case("*0\r\n", .array([])),
        Case("*2\r\n$1\r\na\r\n$-1\r\n", .array([string("a"), .null])),
        Case("*2\r\n*0\r\n*1\r\n*1\r\n:7\r\n", .array([.array([]), .array([.array([.integer(7)])])])),
        Case(
            "*3\r\n+a\r\n-b c\r\n:1\r\n",
            .array([.status("a"), .error(RedisServerError(code: "b", message: "c")), .integer(1)])),
        Case("+a\r\n$1\r\nb\r\n:3\r\n", .status("a"), string("b"), .integer(3)),
        Case(
            "*1\r\n*2\r\n$1\r\ns\r\n*2\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$3\r\nuid\r\n$1\r\nu\r\n*2\r\n$3\r\n2-0\r\n*-1\r\n",
            .array([
                .array([
                    string("s"),
                    .array([
                        .array([string("1-0"), .array([string("uid"), string("u")])]), .array([string("2-0"), .null]),
                    ]),
                ])
            ])),
        Case(
            "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
            .array([.array([.array([.array([.array([.array([.array([.integer(1)])])])])])])])),
    ]

    @Test(arguments: cases) func `replies are the same however their bytes are split`(_ example: Case) {
        let bytes = Array(example.text.utf8)
        let cuts = (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
        for pieces in cuts + [bytes.map { [$0] }] {
            let read = Replies.read(pieces)
            #expect(read.values == example.values, "\(pieces)")
            #expect(read.end == .incomplete)
        }
    }

    @Test(arguments: cases) func `a reply is incomplete until its last byte`(_ example: Case) {
        let bytes = Array(example.text.utf8)
        for count in 0..<bytes.count {
            let read = Replies.read([Array(bytes[..<count])])
            #expect(read.values.count < example.values.count, "\(count) bytes")
            #expect(read.end == .incomplete, "\(count) bytes")
        }
    }

    @Test(arguments: [1_000, 16_383, 16_384, 16_385, 65_536, 1_000_000])
    func `a large string is the same in pieces of any size`(piece: Int) {
        let content = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let one = Array("$500000\r\n".utf8) + content + Array("\r\n".utf8)
        let all = Array("*3\r\n:1\r\n".utf8) + one + Array("$1\r\nx\r\n+OK\r\n".utf8)
        let pieces = stride(from: 0, to: all.count, by: piece).map { Array(all[$0..<min($0 + piece, all.count)]) }
        #expect(
            Replies.read(pieces).values == [.array([.integer(1), .string(content), .string([0x78])]), .status("OK")])
    }

    @Test func `many replies in one piece are read in order`() {
        let text = (0..<10_000).map { "*2\r\n:\($0)\r\n$-1\r\n" }.joined()
        #expect(Replies.read(text).values == (0..<10_000).map { .array([.integer($0), .null]) })
    }

    @Test(
        arguments: [
            "OK\r\n", "\r\n", "HTTP/1.1 400 Bad Request\r\n", "\u{15}\u{3}\u{3}\0\u{2}", "\0", "*a\r\n", "*\r\n", "*1",
            "$\r\n", "$a\r\n", "$-2\r\n", "*-2\r\n", ":\r\n", ":1a\r\n", ":9223372036854775808\r\n", ":01\r\n",
            ": 1\r\n", "$2\r\nabc\r\n", "$2\r\nabXY", "+a\rb\r\n", "+a\nb\r\n", "-a\rb\r\n", "*2\r\n+a\r\nb\r\n",
            "$99999999999999999999\r\n", "*9999999999\r\n", "*99999999999999999999\r\n", "$1\rx", ":1\rx",
        ].map { $0.hasSuffix("\n") ? $0 : $0 + String(repeating: "x", count: 40) })
    func `bytes that are not a reply are rejected`(text: String) throws {
        for read in [Replies.read(text), Replies.read(text.utf8.map { [$0] })] {
            #expect(read.values.isEmpty)
            #expect(read.end != .incomplete)
        }
    }

    @Test(arguments: [
        "_\r\n", "#t\r\n", ",1.5\r\n", "(123\r\n", "=7\r\ntxt:abc\r\n", "%1\r\n+a\r\n:1\r\n", "~1\r\n:1\r\n",
        ">1\r\n:1\r\n", "%-1\r\n", "=-1\r\n", "%", "%1",
    ])
    func `the types of RESP3 are rejected, complete or not`(text: String) {
        let read = Replies.read([Array(text.utf8), Array("\r\n\r\n".utf8)])
        #expect(read.values.isEmpty)
        #expect(read.end == .invalid(.notRESP) || read.end == .invalid(.resp3))
    }

    @Test func `a reader that has failed keeps failing`() {
        let reader = ReplyReader(.standard)
        for text in ["x", "+OK\r\n"] {
            Array(text.utf8).withUnsafeBytes { bytes in
                reader.feed(bytes)
                guard case .invalid(.notRESP) = reader.next() else {
                    Issue.record("\(text) was read")
                    return
                }
            }
        }
    }
}
