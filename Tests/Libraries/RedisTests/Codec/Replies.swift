@testable import Redis

/// Reads replies into values that outlive the reader.
enum Replies {
    /// Returns all replies in the pieces, and the state of the reader afterwards.
    static func read(_ pieces: [[UInt8]], limits: RedisReplyLimits = .standard) -> (values: [RedisValue], end: End) {
        let reader = ReplyReader(limits)
        var values: [RedisValue] = []
        for piece in pieces {
            let end = piece.withUnsafeBytes { bytes in
                reader.feed(bytes)
                return drain(reader, into: &values)
            }
            if case .invalid = end { return (values, end) }
        }
        return (values, .incomplete)
    }

    static func read(_ text: String, limits: RedisReplyLimits = .standard) -> (values: [RedisValue], end: End) {
        read([Array(text.utf8)], limits: limits)
    }

    /// The reply to the last command of the handshake with a server.
    static let echo = "$9\r\ngatehouse\r\n"

    /// The reply to the marker of this number, counted from 0.
    static func marker(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "$16\r\n" + String(repeating: "0", count: 16 - digits.count) + digits + "\r\n"
    }

    enum End: Equatable {
        case incomplete
        case invalid(ReplyDefect)
    }

    private static func drain(_ reader: borrowing ReplyReader, into values: inout [RedisValue]) -> End {
        while true {
            switch reader.next() {
            case .reply(let reply): values.append(reply.value())
            case .incomplete: return .incomplete
            case .invalid(let defect): return .invalid(defect)
            }
        }
    }

    /// Calls `body` with the reply that `text` contains.
    static func with<Result>(
        _ text: String, limits: RedisReplyLimits = .standard, _ body: (RedisReply) throws -> Result
    ) throws -> Result {
        let reader = ReplyReader(limits)
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBytes {
            reader.feed($0)
            guard case .reply(let reply) = reader.next() else { throw NoReply(text: text) }
            return try body(reply)
        }
    }

    struct NoReply: Error {
        let text: String
    }
}
