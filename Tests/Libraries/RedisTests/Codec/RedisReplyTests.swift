import Testing

@testable import Redis

@Suite("reading a reply where it stands")
struct RedisReplyTests {
    @Test("elements are found by position, past arrays too")
    func subscripts() throws {
        try Replies.with("*4\r\n*2\r\n:1\r\n*1\r\n:2\r\n$1\r\na\r\n*0\r\n:9\r\n") { reply in
            #expect(reply.count == 4)
            #expect(reply[0][1][0].integer == 2)
            #expect(reply[1].equals("a"))
            #expect(reply[2].kind == .array)
            #expect(reply[2].count == 0)
            #expect(reply[3].integer == 9)
        }
    }

    @Test("elements are walked in their order")
    func elements() throws {
        try Replies.with("*3\r\n*2\r\n:1\r\n:2\r\n$-1\r\n:9\r\n") { reply in
            #expect(reply.elements.map(\.kind) == [.array, .null, .integer])
            #expect(Array(reply.elements).last?.integer == 9)
        }
    }

    @Test(
        "an element that is not there is an error, not a null",
        arguments: ["*1\r\n:1\r\n", "*0\r\n", ":1\r\n", "$-1\r\n"])
    func absent(text: String) throws {
        try Replies.with(text) { reply in
            for position in [-1, reply.count, Int.max] {
                #expect(reply[position].kind == .error)
                #expect(reply[position].serverError?.code == "ABSENT")
                #expect(reply[position][0][0].serverError?.code == "ABSENT")
            }
        }
    }

    @Test(
        "what has no bytes, number or elements says so",
        arguments: ["$-1\r\n", "*2\r\n:1\r\n:2\r\n", ":5\r\n", "+OK\r\n"])
    func defaults(text: String) throws {
        try Replies.with(text) { reply in
            if reply.kind != .status { #expect(reply.bytes.isEmpty) }
            if reply.kind != .integer { #expect(reply.integer == 0) }
            if reply.kind != .array {
                #expect(reply.count == 0)
                #expect(Array(reply.elements).isEmpty)
            }
            #expect(reply.serverError == nil)
        }
    }

    @Test(
        "a decimal is read from an integer or a string",
        arguments: [
            (":5\r\n", 5), ("$1\r\n0\r\n", 0), ("$10\r\n1753315200\r\n", 1_753_315_200), ("$2\r\n-7\r\n", -7),
            ("$19\r\n9223372036854775807\r\n", Int64.max), ("$20\r\n-9223372036854775808\r\n", .min),
        ])
    func decimals(text: String, value: Int64) throws {
        try Replies.with(text) { #expect($0.decimal == value) }
    }

    @Test(
        "what is no decimal is none",
        arguments: [
            "", "-", "-0", "00", "01", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999", "１",
        ])
    func notDecimals(text: String) throws {
        try Replies.with("$\(text.utf8.count)\r\n\(text)\r\n") { #expect($0.decimal == nil) }
    }

    @Test("null, status, error and array are no decimals", arguments: ["$-1\r\n", "+1\r\n", "-1\r\n", "*1\r\n:1\r\n"])
    func otherKinds(text: String) throws {
        try Replies.with(text) { #expect($0.decimal == nil) }
    }

    @Test("an error does not equal its text")
    func equality() throws {
        try Replies.with("-OK\r\n") { #expect(!$0.equals("OK")) }
        try Replies.with("+OK\r\n") { #expect($0.equals("OK")) }
        try Replies.with("$2\r\nOK\r\n") { #expect($0.equals("OK")) }
        try Replies.with("$3\r\nOKK\r\n") { #expect(!$0.equals("OK")) }
    }

    @Test("a long refusal is cut")
    func longError() throws {
        try Replies.with("-ERR " + String(repeating: "a", count: 10_000) + "\r\n") { reply in
            #expect(reply.serverError?.message.utf8.count == RedisServerError.maximumLength - 4)
        }
    }
}
