import CHiredis
import Foundation
import Testing

@testable import Redis

struct ReplyBoundsTests {
    private static let small = RedisReplyLimits(elements: 8, values: 20, stringSize: 100, size: 250)

    private static func string(_ length: Int) -> String { "$\(length)\r\n\(letters(length))\r\n" }

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static let eightIntegers = "*8\r\n" + String(repeating: ":1\r\n", count: 8)

    @Test(arguments: [
        ("*100000000\r\n", ReplyDefect.tooManyElements), ("*2147483647\r\n", .tooManyElements),
        ("*9\r\n", .tooManyElements), ("*8\r\n*8\r\n*4\r\n", .tooManyValues), ("$101\r\n", .stringTooLong),
        ("$2147483647\r\n", .stringTooLong), ("$9223372036854775807\r\n", .stringTooLong),
        ("*3\r\n\(string(100))\(string(100))$51\r\n", .replyTooLong),
        // Each string is within its limit.
        ("*3\r\n\(string(84))\(string(84))\(string(84))", .replyTooLong),
    ])
    func `a length above its limit is rejected as soon as it is announced`(text: String, defect: ReplyDefect) {
        // hiredis reports a string only after its first byte.
        #expect(Replies.read([Array(text.utf8), [0x61]], limits: Self.small).end == .invalid(defect))
    }

    @Test(arguments: [
        eightIntegers, "*3\r\n\(eightIntegers)\(eightIntegers):1\r\n", string(100),
        "*3\r\n\(string(83))\(string(83))\(string(83))", "+\(letters(100))\r\n",
    ])
    func `a reply at its limits is read`(text: String) {
        #expect(Replies.read(text, limits: Self.small).values.count == 1)
        #expect(Replies.read(text.utf8.map { [$0] }, limits: Self.small).values.count == 1)
    }

    @Test func `each reply has its own limits`() {
        let one = "*8\r\n" + String(repeating: Self.string(30), count: 8)
        #expect(Replies.read(String(repeating: one, count: 50), limits: Self.small).values.count == 50)
    }

    @Test(arguments: [8, 9, 20, 1000]) func `the depth of nested arrays is limited`(levels: Int) {
        let limits = RedisReplyLimits(elements: 8, values: 10_000, stringSize: 100, size: 100)
        let read = Replies.read(String(repeating: "*1\r\n", count: levels) + ":1\r\n", limits: limits)
        #expect(read.end == .invalid(.tooDeep))
    }

    @Test(arguments: ["+", "-"]) func `a line without an end is rejected`(type: String) {
        let pieces = [[UInt8]](repeating: [UInt8](repeating: 0x61, count: 1000), count: 100)
        #expect(Replies.read([Array(type.utf8)] + pieces).end == .invalid(.lineTooLong))
    }

    @Test(arguments: [":", "$", "*"]) func `a number without an end is rejected`(type: String) {
        #expect(Replies.read([Array(type.utf8), [UInt8](repeating: 0x31, count: 32)]).end == .invalid(.notRESP))
    }

    @Test func `a length with an invalid line end is rejected after that length`() {
        let pieces = [Array("$5\r".utf8)] + (0..<50).map { _ in Array("a".utf8) }
        #expect(Replies.read(pieces).end == .invalid(.notRESP))
    }

    @Test func `an announced array allocates nothing before its elements arrive`() {
        let before = Self.reservedMiB
        let readers = (0..<1000).map { _ in Held(ReplyReader(.bulk)) }
        for held in readers {
            let outcome = Array("*999999\r\n".utf8).withUnsafeBytes { bytes in
                held.reader.feed(bytes)
                return held.reader.next()
            }
            guard case .incomplete = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
        // Memory for the elements would be 24 GB.
        #expect(Self.reservedMiB - before < 2_000)
    }

    private final class Held {
        let reader: ReplyReader
        init(_ reader: consuming ReplyReader) { self.reader = reader }
    }

    /// The address space of this process. 0 if it is unknown.
    private static var reservedMiB: Int {
        let numbers = FileManager.default.contents(atPath: "/proc/self/statm").map {
            String(decoding: $0, as: UTF8.self)
        }
        return Int(numbers?.split(separator: " ").first ?? "0").map { $0 / 256 } ?? 0
    }

    @Test func `a million values are read, and one more is rejected`() {
        let body = [UInt8](String(repeating: ":1\r\n", count: 999_999).utf8)
        let read = Replies.read([Array("*999999\r\n".utf8), body], limits: .bulk)
        guard case .array(let values)? = read.values.first else {
            Issue.record("\(read.end)")
            return
        }
        #expect(values.count == 999_999)
        #expect(Replies.read("*1000000\r\n", limits: .bulk).end == .invalid(.tooManyValues))
    }

    @Test func `the version of hiredis is a tested one`() {
        #expect(chiredis_version() >= 1400)
    }
}
