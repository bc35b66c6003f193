/// Tells where frames of a WebSocket begin and end (RFC 6455 section 5.2) as they pass, as a pure value. It checks nothing else of them:
/// what they say is between those who talk.
public struct WebSocketFrames: Sendable, Equatable {
    /// A close frame passed, or has begun to: after it comes nothing more of its side.
    public private(set) var hasClose = false
    /// How many bytes of the frame's payload are still to come.
    private var payload: UInt64 = 0
    /// How many bytes of a frame's header have come; how many of them tell its length, after the first two; and how many mask it.
    private var header = 0
    private var extended = 0
    private var mask = 0
    private var length: UInt64 = 0

    /// Nothing has passed.
    public init() {}

    /// Whether a frame of one's own may stand here.
    public var isAtBoundary: Bool { payload == 0 && header == 0 }

    /// Bytes pass.
    public mutating func pass(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if payload > 0 {
                let count = min(payload, UInt64(bytes.count - index))
                payload -= count
                index += Int(count)
            } else {
                take(bytes[index])
                index += 1
            }
        }
    }

    private mutating func take(_ byte: UInt8) {
        switch header {
        case 0: if byte & 0x0F == 0x8 { hasClose = true }
        case 1: begin(byte)
        case 2..<2 + extended: length = length << 8 | UInt64(byte)
        default: break
        }
        header += 1
        guard header > 1, header == 2 + extended + mask else { return }
        payload = length
        header = 0
    }

    private mutating func begin(_ byte: UInt8) {
        let short = byte & 0x7F
        extended = short == 126 ? 2 : short == 127 ? 8 : 0
        length = extended == 0 ? UInt64(short) : 0
        mask = byte & 0x80 == 0 ? 0 : 4
    }
}

/// Close frames (RFC 6455 section 5.5.1).
public enum WebSocketClose {
    /// The longest reason that a close frame has room for, in bytes.
    public static let maximumReason = 123

    /// A whole frame.
    ///
    /// - Parameters:
    ///   - code: a status code of section 7.4.1.
    ///   - reason: UTF-8; what is too long of it is left out.
    ///   - mask: of the client's side, whose frames must have one; nil: the server's.
    public static func frame(code: UInt16, reason: StaticString = "", mask: UInt32? = nil) -> [UInt8] {
        let text = UnsafeRawBufferPointer(start: reason.utf8Start, count: reason.utf8CodeUnitCount).prefix(
            maximumReason)
        let payload = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + text
        let length = UInt8(truncatingIfNeeded: payload.count)
        guard let mask else { return [0x88, length] + payload }
        let key = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: mask >> $0) }
        return [0x88, 0x80 | length] + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }
}

/// The sub-protocols of a WebSocket handshake (RFC 6455 section 4.1): tokens of `Sec-WebSocket-Protocol`.
public enum WebSocketProtocols {
    /// The field's name, in lower case.
    public static var fieldName: StaticString { "sec-websocket-protocol" }

    /// Whether bytes are one token.
    public static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(ByteClass.isToken)
    }
}
