import Testing

@testable import Redis

/// The keys of commands in a cluster.
struct PrefixedKeysTests {
    private static func text(_ command: RedisCommand) -> String { String(decoding: command.bytes, as: UTF8.self) }

    private static func prefixed(_ line: String) -> String {
        let arguments = line.split(separator: " ").map { String($0) }
        return text(RedisCommand(arguments).prefixingKeys(with: Array("{t}".utf8)))
    }

    @Test(arguments: [
        ("HMGET a b c", "HMGET {t}a b c"), ("XADD a MAXLEN ~ 5 * uid a", "XADD {t}a MAXLEN ~ 5 * uid a"),
        ("EVAL body 2 a b a", "EVAL body 2 {t}a {t}b a"), ("EVAL body 0 a", "EVAL body 0 a"),
        ("XINFO STREAM a", "XINFO STREAM {t}a"), ("SCAN 0 MATCH a* COUNT 5", "SCAN 0 MATCH {t}a* COUNT 5"),
        ("SCAN 0 COUNT 5", "SCAN 0 COUNT 5"), ("XREAD COUNT 5 STREAMS a 0-0", "XREAD COUNT 5 STREAMS {t}a 0-0"),
        ("XREAD BLOCK 9 STREAMS a b 1 2", "XREAD BLOCK 9 STREAMS {t}a {t}b 1 2"), ("INFO", "INFO"),
        ("CLUSTER NODES", "CLUSTER NODES"), ("ECHO a", "ECHO a"), ("GET", "GET"), ("EVAL", "EVAL"), ("XREAD", "XREAD"),
    ])
    func `each key begins with the prefix`(line: String, expected: String) {
        #expect(Self.prefixed(line) == Self.text(RedisCommand(expected.split(separator: " ").map { String($0) })))
    }

    @Test func `arguments may contain any byte`() {
        let value: [UInt8] = [0, 13, 10, 36, 255]
        let command = RedisCommand(["SET", "k\r\n$5\r\n", value, ""])
        let expected = RedisCommand(["SET", "{t}k\r\n$5\r\n", value, ""])
        #expect(command.prefixingKeys(with: Array("{t}".utf8)) == expected)
    }

    @Test func `each command of a pipeline is prefixed and can be sent alone`() {
        let pipeline = RedisCommand(["GET", "a"]) + RedisCommand(["ECHO", "b"]) + RedisCommand(["GET", "c"])
        let prefixed = pipeline.prefixingKeys(with: Array("{t}".utf8))
        let alone = [RedisCommand(["GET", "{t}a"]), RedisCommand(["ECHO", "b"]), RedisCommand(["GET", "{t}c"])]
        #expect(prefixed == alone[0] + alone[1] + alone[2])
        #expect(prefixed.separated() == alone)
    }

    @Test func `a command after ASKING has one reply`() {
        let command = RedisCommand(["GET", "a"]).asking()
        #expect(Self.text(command) == "*1\r\n$6\r\nASKING\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n")
        #expect(command.count == 1)
        #expect(command.isAsking)
    }
}
