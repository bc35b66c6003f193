import Redis
import Testing

struct RedisCommandTests {
    private static func text(_ command: RedisCommand) -> String { String(decoding: command.bytes, as: UTF8.self) }

    @Test(arguments: [
        (["PING"], "*1\r\n$4\r\nPING\r\n"), (["GET", ""], "*2\r\n$3\r\nGET\r\n$0\r\n\r\n"),
        (["GET", "ä"], "*2\r\n$3\r\nGET\r\n$2\r\nä\r\n"),
        (["SET", "a b", "c\r\n$1\r\nd"], "*3\r\n$3\r\nSET\r\n$3\r\na b\r\n$8\r\nc\r\n$1\r\nd\r\n"),
        (["GET", "%s%d"], "*2\r\n$3\r\nGET\r\n$4\r\n%s%d\r\n"), (["GET", "a\0b"], "*2\r\n$3\r\nGET\r\n$3\r\na\0b\r\n"),
    ])
    func `each argument has its length in bytes`(arguments: [String], expected: String) {
        let command = RedisCommand(arguments)
        #expect(Self.text(command) == expected)
        #expect(command.count == 1)
    }

    @Test func `an argument is text, bytes or a number`() {
        let command = RedisCommand(["SET", [0xFF, 0x00] as [UInt8], 5, Int64.min])
        let number = "-9223372036854775808"
        let expected =
            Array("*4\r\n$3\r\nSET\r\n$2\r\n".utf8) + [0xFF, 0x00] + Array("\r\n$1\r\n5\r\n$20\r\n\(number)\r\n".utf8)
        #expect(command.bytes == expected)
    }

    @Test(arguments: [31, 32, 33, 1000]) func `a command may have many arguments`(count: Int) {
        let command = RedisCommand((0..<count).map { String($0) })
        let expected = (0..<count).map { "$\(String($0).count)\r\n\($0)\r\n" }.joined()
        #expect(Self.text(command) == "*\(count)\r\n" + expected)
    }

    @Test func `an argument may be large`() {
        let value = [UInt8](repeating: 7, count: 3 << 20)
        let command = RedisCommand(["SET", "k", value])
        #expect(command.bytes.count == value.count + "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$3145728\r\n\r\n".utf8.count)
    }

    @Test func `a pipeline is the concatenation of its commands`() {
        let first = RedisCommand(["GET", "a"])
        var both = first + RedisCommand(["GET", "b"])
        #expect(both.count == 2)
        #expect(Self.text(both) == "*2\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n$3\r\nGET\r\n$1\r\nb\r\n")
        both.append(first)
        #expect(both.count == 3)
    }
}
