import NIOCore
import Testing

@testable import Redis

@Suite("the order of replies")
struct ReplyAlignmentTests {
    /// What an alignment with the first marker 0 says to the replies to three commands.
    private static func judge(_ replies: [String], sent: Int = 3) throws -> [ReplyAlignment.Finding] {
        var alignment = ReplyAlignment(.echo, first: 0)
        var buffer = ByteBuffer()
        for _ in 0..<sent { alignment.mark(&buffer) }
        return try replies.map { reply in try Replies.with(reply) { alignment.judge($0) } }
    }

    private static let aligned = (0..<3).flatMap { [Replies.marker($0), ":\($0)\r\n"] }

    @Test func `a marker names a value that no other marker of the connection has`() {
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
        #expect(try Self.judge(Self.aligned) == [.marker, .reply, .marker, .reply, .marker, .reply])
    }

    @Test func `whichever reply is lost, no later reply is delivered to another command`() throws {
        for lost in Self.aligned.indices.dropLast() {
            var replies = Self.aligned
            replies.remove(at: lost)
            try Self.expectOnlyOwnReplies(replies, "lost \(lost)")
        }
    }

    @Test func `whichever reply is repeated, no later reply is delivered to another command`() throws {
        for repeated in Self.aligned.indices {
            var replies = Self.aligned
            replies.insert(replies[repeated], at: repeated)
            // The last one has no command: the connection itself refuses it.
            if repeated == Self.aligned.count - 1 { continue }
            try Self.expectOnlyOwnReplies(replies, "repeated \(repeated)")
        }
    }

    @Test func `whichever neighbours are swapped, none of them is delivered to another command`() throws {
        for first in Self.aligned.indices.dropLast() {
            var replies = Self.aligned
            replies.swapAt(first, first + 1)
            try Self.expectOnlyOwnReplies(replies, "swapped \(first)")
        }
    }

    private static func expectOnlyOwnReplies(_ replies: [String], _ what: Comment) throws {
        let findings = try judge(replies)
        let end = try #require(findings.firstIndex(of: .broken), what)
        // Until then, replies came as they were sent.
        #expect(replies[..<end].elementsEqual(aligned[..<end]), what)
    }

    @Test func `an error in the place of a marker lets only errors through`() throws {
        #expect(try Self.judge(["-BUSY x\r\n", "-BUSY x\r\n", Replies.marker(1)]) == [.marker, .reply, .marker])
        #expect(try Self.judge(["-BUSY x\r\n", ":1\r\n"]) == [.marker, .broken])
        #expect(try Self.judge(["-BUSY x\r\n", Replies.marker(1)]) == [.marker, .broken])
        #expect(try Self.judge(["-NOPERM x\r\n"]) == [.broken])
    }

    @Test func `a reply to nothing is not the alignment's business`() throws {
        #expect(try Self.judge([":1\r\n"], sent: 0) == [.reply])
    }

    @Test(arguments: [
        "+0000000000000000\r\n", "$15\r\n000000000000000\r\n", "$17\r\n00000000000000000\r\n",
        "$16\r\n000000000000000G\r\n", "$16\r\n0000000000000001\r\n", "$16\r\n000000000000000A\r\n", "*1\r\n:0\r\n",
        "$-1\r\n",
    ])
    func `what only resembles a marker is none`(reply: String) throws {
        #expect(try Self.judge([reply]) == [.broken])
    }
}
