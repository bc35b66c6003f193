import CHiredis
import Foundation
import Testing

@testable import Redis

@Suite("the bounds of replies")
struct ReplyBoundsTests {
    private static let small = RedisReplyLimits(elements: 8, values: 20, stringSize: 100, size: 250)

    @Test(
        "more than is allowed is refused as soon as it is announced",
        arguments: [
            ("*100000000\r\n", ReplyDefect.tooManyElements),
            ("*2147483647\r\n", .tooManyElements),
            ("*9\r\n", .tooManyElements),
            ("*8\r\n*8\r\n*4\r\n", .tooManyValues),
            ("$101\r\n", .stringTooLong),
            ("$2147483647\r\n", .stringTooLong),
            ("$9223372036854775807\r\n", .stringTooLong),
            (
                "*3\r\n$100\r\n" + String(repeating: "a", count: 100) + "\r\n$100\r\n"
                    + String(repeating: "a", count: 100) + "\r\n$51\r\n", .replyTooLong
            ),
        ])
    func announced(text: String, defect: ReplyDefect) {
        // hiredis asks for a byte of a string before it tells anybody of it.
        #expect(Replies.read([Array(text.utf8), [0x61]], limits: Self.small).end == .invalid(defect))
    }

    @Test(
        "what is exactly allowed is read",
        arguments: [
            "*8\r\n" + String(repeating: ":1\r\n", count: 8),
            "*3\r\n*8\r\n" + String(repeating: ":1\r\n", count: 8) + "*8\r\n" + String(repeating: ":1\r\n", count: 8)
                + ":1\r\n",
            "$100\r\n" + String(repeating: "a", count: 100) + "\r\n",
            "*3\r\n" + String(repeating: "$83\r\n" + String(repeating: "a", count: 83) + "\r\n", count: 3),
            "+" + String(repeating: "a", count: 100) + "\r\n",
        ])
    func allowed(text: String) {
        #expect(Replies.read(text, limits: Self.small).values.count == 1)
        #expect(Replies.read(text.utf8.map { [$0] }, limits: Self.small).values.count == 1)
    }

    @Test("a reply that is too long in all is refused, though each string is not")
    func total() {
        let text = "*3\r\n" + String(repeating: "$84\r\n" + String(repeating: "a", count: 84) + "\r\n", count: 3)
        #expect(Replies.read(text, limits: Self.small).end == .invalid(.replyTooLong))
    }

    @Test("a limit is for each reply anew")
    func eachReply() {
        let one = "*8\r\n" + String(repeating: "$30\r\n" + String(repeating: "a", count: 30) + "\r\n", count: 8)
        #expect(Replies.read(String(repeating: one, count: 50), limits: Self.small).values.count == 50)
    }

    @Test("arrays within arrays have a limit", arguments: [8, 9, 20, 1000])
    func depth(levels: Int) {
        let limits = RedisReplyLimits(elements: 8, values: 10_000, stringSize: 100, size: 100)
        let read = Replies.read(String(repeating: "*1\r\n", count: levels) + ":1\r\n", limits: limits)
        #expect(read.end == .invalid(.tooDeep))
    }

    @Test("a line without an end is refused", arguments: ["+", "-"])
    func endlessLine(type: String) {
        var pieces = [Array(type.utf8)]
        for _ in 0..<100 { pieces.append([UInt8](repeating: 0x61, count: 1000)) }
        #expect(Replies.read(pieces).end == .invalid(.lineTooLong))
    }

    @Test("a number without an end is refused", arguments: [":", "$", "*"])
    func endlessNumber(type: String) {
        #expect(Replies.read([Array(type.utf8), [UInt8](repeating: 0x31, count: 32)]).end == .invalid(.notRESP))
    }

    @Test("a length whose line ends wrongly does not wait for more than the length")
    func wrongLineEnd() {
        let pieces = [Array("$5\r".utf8)] + (0..<50).map { _ in Array("a".utf8) }
        #expect(Replies.read(pieces).end == .invalid(.notRESP))
    }

    @Test("an announced array costs nothing until its elements come")
    func announcementIsFree() {
        let before = Self.reservedMiB
        let readers = (0..<1000).map { _ in Held(ReplyReader(.bulk)) }
        for held in readers {
            let outcome = Array("*999999\r\n".utf8).withUnsafeBytes { bytes in
                held.reader.give(bytes)
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

    /// The address space of this process; 0 where it is not told.
    private static var reservedMiB: Int {
        let numbers = FileManager.default.contents(atPath: "/proc/self/statm").map {
            String(decoding: $0, as: UTF8.self)
        }
        return Int(numbers?.split(separator: " ").first ?? "0").map { $0 / 256 } ?? 0
    }

    @Test("a million values are read, and one more is refused")
    func million() {
        let body = [UInt8](String(repeating: ":1\r\n", count: 999_999).utf8)
        let read = Replies.read([Array("*999999\r\n".utf8), body], limits: .bulk)
        guard case .array(let values)? = read.values.first else {
            Issue.record("\(read.end)")
            return
        }
        #expect(values.count == 999_999)
        #expect(Replies.read("*1000000\r\n", limits: .bulk).end == .invalid(.tooManyValues))
    }

    @Test("the version of hiredis is one that was tried")
    func version() {
        #expect(chiredis_version() >= 1400)
    }
}
