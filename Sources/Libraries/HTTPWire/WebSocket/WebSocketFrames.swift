/// Tracks the boundaries of WebSocket frames (RFC 6455 section 5.2) in a stream, as a pure value. It does not
/// validate frames, which is the task of the endpoints.
public struct WebSocketFrames: Sendable, Equatable {
    /// Whether a close frame has begun. Its sender sends no further frames.
    public private(set) var hasClose = false
    /// The number of remaining payload bytes of the frame.
    private var payload: UInt64 = 0
    /// The number of header bytes so far, of extended length bytes, and of mask bytes.
    private var header = 0
    private var extended = 0
    private var mask = 0
    private var length: UInt64 = 0

    /// Creates a tracker for the start of a stream.
    public init() {}

    /// Whether another frame can be inserted at this position.
    public var isAtBoundary: Bool { payload == 0 && header == 0 }

    /// Processes bytes of the stream.
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
    /// The maximum size of the reason in a close frame, in bytes.
    public static let maximumReason = 123

    /// Returns an encoded close frame.
    ///
    /// - Parameters:
    ///   - code: A status code of RFC 6455 section 7.4.1.
    ///   - reason: UTF-8 text, truncated to `maximumReason` bytes.
    ///   - mask: The masking key of a client's frame. `nil` for a server's frame.
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

/// The subprotocols of a WebSocket handshake (RFC 6455 section 4.1): tokens of `Sec-WebSocket-Protocol`.
public enum WebSocketProtocols {
    /// The name of the field in lower case.
    public static var fieldName: StaticString { "sec-websocket-protocol" }

    /// Returns whether the bytes are one token.
    public static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(ByteClass.isToken)
    }
}
