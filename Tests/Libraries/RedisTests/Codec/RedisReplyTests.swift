import Testing

@testable import Redis

struct RedisReplyTests {
    @Test func `an element is found by position after a nested array`() throws {
        try Replies.with("*4\r\n*2\r\n:1\r\n*1\r\n:2\r\n$1\r\na\r\n*0\r\n:9\r\n") { reply in
            #expect(reply.count == 4)
            #expect(reply[0][1][0].integer == 2)
            #expect(reply[1].equals("a"))
            #expect(reply[2].kind == .array)
            #expect(reply[2].count == 0)
            #expect(reply[3].integer == 9)
        }
    }

    @Test func `elements are iterated in order`() throws {
        try Replies.with("*3\r\n*2\r\n:1\r\n:2\r\n$-1\r\n:9\r\n") { reply in
            #expect(reply.elements.map(\.kind) == [.array, .null, .integer])
            #expect(Array(reply.elements).last?.integer == 9)
        }
    }

    @Test(arguments: [
        "$-1\r\n", ":5\r\n", "+OK\r\n", "-ERR no\r\n", "$0\r\n\r\n", "$3\r\na\0b\r\n", "*0\r\n",
        "*3\r\n*2\r\n:1\r\n$1\r\nb\r\n*0\r\n$2\r\ncd\r\n",
    ])
    func `a copy of a reply can be read after the reader is gone`(text: String) throws {
        let (copy, value) = try Replies.with(text) { (RetainedReply($0), $0.value()) }
        var read: RedisValue?
        copy.read { read = $0.value() }
        #expect(read == value)
        #expect(copy.size > 0)
    }

    @Test func `a copy of an element has only this element`() throws {
        let copy = try Replies.with("*2\r\n$1\r\na\r\n*2\r\n$1\r\nb\r\n*1\r\n:7\r\n") { RetainedReply($0[1]) }
        copy.read { reply in
            #expect(reply.count == 2)
            #expect(reply[0].equals("b"))
            #expect(reply[1][0].integer == 7)
        }
    }

    @Test(arguments: ["*1\r\n:1\r\n", "*0\r\n", ":1\r\n", "$-1\r\n"])
    func `a missing element is an error and not null`(text: String) throws {
        try Replies.with(text) { reply in
            for position in [-1, reply.count, Int.max] {
                #expect(reply[position].kind == .error)
                #expect(reply[position].serverError?.code == "ABSENT")
                #expect(reply[position][0][0].serverError?.code == "ABSENT")
            }
        }
    }

    @Test(arguments: ["$-1\r\n", "*2\r\n:1\r\n:2\r\n", ":5\r\n", "+OK\r\n"])
    func `a reply of another type has no bytes, number or elements`(text: String) throws {
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

    @Test(arguments: [
        (":5\r\n", 5), ("$1\r\n0\r\n", 0), ("$10\r\n1753315200\r\n", 1_753_315_200), ("$2\r\n-7\r\n", -7),
        ("$19\r\n9223372036854775807\r\n", Int64.max), ("$20\r\n-9223372036854775808\r\n", .min),
    ])
    func `a decimal is read from an integer or a string`(text: String, value: Int64) throws {
        try Replies.with(text) { #expect($0.decimal == value) }
    }

    @Test(arguments: [
        "", "-", "-0", "00", "01", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808", "-9223372036854775809",
        "99999999999999999999", "１",
    ])
    func `text that is not a decimal has no decimal value`(text: String) throws {
        try Replies.with("$\(text.utf8.count)\r\n\(text)\r\n") { #expect($0.decimal == nil) }
    }

    @Test(arguments: ["$-1\r\n", "+1\r\n", "-1\r\n", "*1\r\n:1\r\n"])
    func `null, status, error and array have no decimal value`(text: String) throws {
        try Replies.with(text) { #expect($0.decimal == nil) }
    }

    @Test func `an error does not equal its text`() throws {
        try Replies.with("-OK\r\n") { #expect(!$0.equals("OK")) }
        try Replies.with("+OK\r\n") { #expect($0.equals("OK")) }
        try Replies.with("$2\r\nOK\r\n") { #expect($0.equals("OK")) }
        try Replies.with("$3\r\nOKK\r\n") { #expect(!$0.equals("OK")) }
    }

    @Test func `a long error message is truncated`() throws {
        try Replies.with("-ERR " + String(repeating: "a", count: 10_000) + "\r\n") { reply in
            #expect(reply.serverError?.message.utf8.count == RedisServerError.maximumLength - 4)
        }
    }
}
