internal import NIOCore

/// A check that each reply belongs to its command.
///
/// RESP has no request identifiers, so a lost or repeated reply would shift all later replies by one. Each command is
/// therefore preceded by a marker: a command whose reply repeats a value that is unique on the connection. A reply is
/// delivered only after its own marker, and a reply that repeats any marker is never delivered.
struct ReplyAlignment {
    /// The command that carries the marker. Both repeat their argument.
    enum Carrier {
        case echo
        /// For a user who may not run ECHO. Unlike ECHO, PING fails while the server cannot save its data (MISCONF).
        case ping
    }

    enum Finding: Equatable {
        case marker
        /// The reply to the oldest unanswered command.
        case reply
        /// Replies are lost, repeated or out of order.
        case broken
    }

    /// The number of bytes before each command.
    static let size = 37
    private static let digits = 16

    private let carrier: Carrier
    /// The value of the first marker. It is random, so that no stored value matches a marker.
    private let first: UInt64
    private var sent: UInt64 = 0
    private var received: UInt64 = 0
    /// The reply before the next one. `nil` if a marker is expected next.
    private var preceding: Preceding?
    /// The numbers of the sent markers that precede `ASKING`, whose reply is not delivered either. A marker between
    /// `ASKING` and its command would end the effect.
    private var askings: [UInt64] = []

    private enum Preceding {
        case marker
        /// An error in place of the marker, such as BUSY. Only another error may follow.
        case error
        /// The marker of a command that follows `ASKING`.
        case asking
    }

    init(_ carrier: Carrier, first: UInt64) {
        self.carrier = carrier
        self.first = first
    }

    /// Writes the marker of the next command.
    ///
    /// - Parameter isAsking: Whether the command follows `ASKING`.
    mutating func mark(_ buffer: inout ByteBuffer, isAsking: Bool = false) {
        if isAsking { askings.append(sent) }
        switch carrier {
        case .echo: buffer.writeStaticString("*2\r\n$4\r\nECHO\r\n$16\r\n")
        case .ping: buffer.writeStaticString("*2\r\n$4\r\nPING\r\n$16\r\n")
        }
        let value = first &+ sent
        sent &+= 1
        for digit in 0..<Self.digits {
            let nibble = UInt8(truncatingIfNeeded: value &>> UInt64(60 &- 4 &* digit)) & 0xf
            buffer.writeInteger(nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &+ (nibble &- 10))
        }
        buffer.writeStaticString("\r\n")
    }

    /// Classifies the next reply.
    mutating func judge(_ reply: RedisReply) -> Finding {
        // No command was sent: the state machine rejects the reply.
        guard received < sent || preceding != nil else { return .reply }
        let marker = Self.value(of: reply).map { $0 &- first }
        if let preceding {
            self.preceding = nil
            if preceding == .asking { return judgeAsking(reply) }
            let isMarker = marker.map { $0 < sent } ?? false
            return isMarker || (preceding == .error && reply.kind != .error) ? .broken : .reply
        }
        let isAsking = askings.first == received
        if marker == received {
            preceding = isAsking ? .asking : .marker
            if isAsking { askings.removeFirst() }
        } else if reply.kind == .error, !reply.begins(with: "NOPERM"), !isAsking {
            preceding = .error
        } else {
            return .broken
        }
        received &+= 1
        return .marker
    }

    /// Classifies the reply to `ASKING`.
    private mutating func judgeAsking(_ reply: RedisReply) -> Finding {
        guard reply.kind == .error || reply.equals("OK") else { return .broken }
        preceding = reply.kind == .error ? .error : .marker
        return .marker
    }

    private static func value(of reply: RedisReply) -> UInt64? {
        guard reply.kind == .string else { return nil }
        let bytes = reply.bytes
        guard bytes.count == digits else { return nil }
        var value: UInt64 = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value &<< 4 | UInt64(byte &- UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value &<< 4 | UInt64(byte &- UInt8(ascii: "a") &+ 10)
            default: return nil
            }
        }
        return value
    }
}
