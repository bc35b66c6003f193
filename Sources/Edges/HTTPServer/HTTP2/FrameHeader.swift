import NIOCore

/// The header of an HTTP/2 frame (RFC 9113 section 4.1).
struct FrameHeader: Equatable, Sendable {
    static let size = 9

    /// The size of the payload, in bytes.
    var length: Int
    var type: UInt8
    var flags: UInt8
    var stream: UInt32

    /// Reads the header at an index of a buffer, which has at least ``size`` bytes from there.
    init?(_ buffer: ByteBuffer, at index: Int) {
        guard let high: UInt8 = buffer.getInteger(at: index), let low: UInt16 = buffer.getInteger(at: index + 1),
            let type: UInt8 = buffer.getInteger(at: index + 3), let flags: UInt8 = buffer.getInteger(at: index + 4),
            let stream: UInt32 = buffer.getInteger(at: index + 5)
        else { return nil }
        length = Int(high) << 16 | Int(low)
        (self.type, self.flags, self.stream) = (type, flags, stream & 0x7FFF_FFFF)
    }

    var kind: FrameKind? { FrameKind(rawValue: type) }
    /// END_STREAM of DATA and HEADERS, or ACK of SETTINGS and PING.
    var hasFirstFlag: Bool { flags & 0x1 != 0 }
    var endsHeaders: Bool { flags & 0x4 != 0 }
    var isPadded: Bool { flags & 0x8 != 0 }
}

enum FrameKind: UInt8, Sendable {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
}

/// The frames that the gateway writes itself, below NIO's connection handler.
extension ByteBuffer {
    mutating func writeFrameHeader(length: UInt16, _ kind: FrameKind, stream: UInt32 = 0) {
        writeInteger(UInt8(0))
        writeInteger(length)
        writeInteger(kind.rawValue)
        writeInteger(UInt8(0))
        writeInteger(stream)
    }

    mutating func writeGoAway(lastStream: UInt32, errorCode: UInt32) {
        writeFrameHeader(length: 8, .goAway)
        writeInteger(lastStream)
        writeInteger(errorCode)
    }

    /// Writes a PING with an opaque payload of zeros.
    mutating func writePing() {
        writeFrameHeader(length: 8, .ping)
        writeInteger(UInt64(0))
    }

    mutating func writeWindowUpdate(_ increment: UInt32) {
        writeFrameHeader(length: 4, .windowUpdate)
        writeInteger(increment)
    }
}
