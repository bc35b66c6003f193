import NIOCore
import Testing

@testable import Redis

struct ReplyAlignmentTests {
    /// The results of an alignment, whose first marker is 0, for the replies to three commands.
    private static func findings(_ replies: [String], sent: Int = 3) throws -> [ReplyAlignment.Finding] {
        var alignment = ReplyAlignment(.echo, first: 0)
        var buffer = ByteBuffer()
        for _ in 0..<sent { alignment.mark(&buffer) }
        return try replies.map { reply in try Replies.with(reply) { alignment.judge($0) } }
    }

    private static let aligned = (0..<3).flatMap { [Replies.marker($0), ":\($0)\r\n"] }

    @Test func `each marker of a connection has its own value`() {
        var alignment = ReplyAlignment(.echo, first: 0xfedc_ba98_7654_3210)
        var buffer = ByteBuffer()
        alignment.mark(&buffer)
        #expect(String(buffer: buffer) == "*2\r\n$4\r\nECHO\r\n$16\r\nfedcba9876543210\r\n")
        #expect(buffer.readableBytes == ReplyAlignment.size)
        buffer.clear()
        alignment.mark(&buffer)
        #expect(String(buffer: buffer) == "*2\r\n$4\r\nECHO\r\n$16\r\nfedcba9876543211\r\n")
        alignment = ReplyAlignment(.ping, first: .max)
        for expected in ["ffffffffffffffff", "0000000000000000"] {
            buffer.clear()
            alignment.mark(&buffer)
            #expect(String(buffer: buffer) == "*2\r\n$4\r\nPING\r\n$16\r\n\(expected)\r\n")
        }
    }

    @Test func `replies after their own markers are delivered`() throws {
        #expect(try Self.findings(Self.aligned) == [.marker, .reply, .marker, .reply, .marker, .reply])
    }

    @Test func `after a lost, repeated or swapped reply no later reply is delivered to another command`() throws {
        for place in Self.aligned.indices.dropLast() {
            var (lost, repeated, swapped) = (Self.aligned, Self.aligned, Self.aligned)
            lost.remove(at: place)
            // The connection itself rejects a repetition of the last reply, because it has no command.
            repeated.insert(repeated[place], at: place)
            swapped.swapAt(place, place + 1)
            try Self.expectOnlyOwnReplies(lost, "lost \(place)")
            try Self.expectOnlyOwnReplies(repeated, "repeated \(place)")
            try Self.expectOnlyOwnReplies(swapped, "swapped \(place)")
        }
    }

    private static func expectOnlyOwnReplies(_ replies: [String], _ what: Comment) throws {
        let findings = try Self.findings(replies)
        let end = try #require(findings.firstIndex(of: .broken), what)
        // The previous replies are in the order of their commands.
        #expect(replies[..<end].elementsEqual(aligned[..<end]), what)
    }

    @Test func `a command after ASKING has one marker, and the reply to ASKING is not delivered`() throws {
        let marked = { (replies: [String]) in
            var alignment = ReplyAlignment(.echo, first: 0)
            var buffer = ByteBuffer()
            for place in 0..<3 { alignment.mark(&buffer, isAsking: place == 1) }
            return try replies.map { reply in try Replies.with(reply) { alignment.judge($0) } }
        }
        let markers = (0..<3).map { Replies.marker($0) }
        let aligned = [markers[0], ":0\r\n", markers[1], "+OK\r\n", ":1\r\n", markers[2], ":2\r\n"]
        let findings: [ReplyAlignment.Finding] = [.marker, .reply, .marker, .marker, .reply, .marker, .reply]
        #expect(try marked(aligned) == findings)
        for place in aligned.indices.dropLast() {
            var (lost, swapped) = (aligned, aligned)
            lost.remove(at: place)
            swapped.swapAt(place, place + 1)
            #expect(try marked(lost).contains(.broken), "lost \(place)")
            #expect(try marked(swapped).contains(.broken), "swapped \(place)")
        }
        // The node is not part of a cluster, so that the command fails too.
        #expect(try marked(Array(aligned[..<3]) + ["-ERR x\r\n", "-ERR y\r\n"]).last == .reply)
        #expect(try marked(Array(aligned[..<3]) + ["-ERR x\r\n", ":1\r\n"]).last == .broken)
        #expect(try marked(Array(aligned[..<2]) + ["-BUSY x\r\n"]).last == .broken)
    }

    @Test func `after an error instead of a marker only errors are delivered`() throws {
        #expect(try Self.findings(["-BUSY x\r\n", "-BUSY x\r\n", Replies.marker(1)]) == [.marker, .reply, .marker])
        #expect(try Self.findings(["-BUSY x\r\n", ":1\r\n"]) == [.marker, .broken])
        #expect(try Self.findings(["-BUSY x\r\n", Replies.marker(1)]) == [.marker, .broken])
        #expect(try Self.findings(["-NOPERM x\r\n"]) == [.broken])
    }

    @Test func `a reply without a command is left to the connection`() throws {
        #expect(try Self.findings([":1\r\n"], sent: 0) == [.reply])
    }

    @Test(arguments: [
        "+0000000000000000\r\n", "$15\r\n000000000000000\r\n", "$17\r\n00000000000000000\r\n",
        "$16\r\n000000000000000G\r\n", "$16\r\n0000000000000001\r\n", "$16\r\n000000000000000A\r\n", "*1\r\n:0\r\n",
        "$-1\r\n",
    ])
    func `a reply that only resembles a marker is invalid`(reply: String) throws {
        #expect(try Self.findings([reply]) == [.broken])
    }
}
