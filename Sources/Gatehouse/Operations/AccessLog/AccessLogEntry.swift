/// What one line of the access log tells of a request. No field holds a credential, and none may be made to.
///
/// Texts are only read during `AccessLogBuffer.record`; what is not UTF-8 in them, and every control character, is written escaped.
public struct AccessLogEntry {
    /// A text that the caller has in one form or another.
    public enum Text {
        /// Written as `null`.
        case none
        /// Memory that is valid until `record` returns.
        case bytes(UnsafeRawBufferPointer)
        /// Bytes that the caller owns.
        case array([UInt8])
        /// Text that the caller owns.
        case string(String)
        /// Text of the program.
        case literal(StaticString)
    }

    /// When the head was complete, in milliseconds since 1970.
    public var time: Int64
    /// The 128 bits of the request's id, written as 32 hexadecimal digits.
    public var requestID: (UInt64, UInt64)
    /// The trace that the request is part of, written as 32 hexadecimal digits; zero: left out of the line.
    public var traceID: (UInt64, UInt64) = (0, 0)
    /// The client's address without its port.
    public var client = Text.none
    /// As the client spelled it.
    public var method = Text.none
    /// The path as it was asked for. Cut before a `?` and at 2 KiB.
    public var path = Text.none
    /// What the client got; 0, written as `null`, when it was gone before an answer.
    public var status: UInt16 = 0
    /// What the gateway decided.
    public var code: DecisionCode
    /// The verified uid; none for anonymous and refused requests.
    public var uid = Text.none
    /// The tenant, where it is a part of the user's name. Left out of the line where it is not.
    public var tenant = Text.none
    /// The route's pattern.
    public var route = Text.none
    /// The upstream's name.
    public var upstream = Text.none
    /// Why the request was refused, precisely. Left out of the line where there is none.
    public var reason = Text.none
    /// The `allow` of the rules that decided, `FILE:LINE`. Left out of the line where none did.
    public var rule = Text.none
    /// From a complete head to the answer's last byte.
    public var durationMicroseconds: UInt64 = 0
    /// From the forwarded head to the answer's first byte; nil when nothing was forwarded or answered.
    public var upstreamMicroseconds: UInt64?
    /// Body bytes from the client.
    public var bytesIn: UInt64 = 0
    /// Body bytes to the client.
    public var bytesOut: UInt64 = 0

    /// An entry whose other fields are absent or zero.
    public init(time: Int64, requestID: (UInt64, UInt64), code: DecisionCode) {
        self.time = time
        self.requestID = requestID
        self.code = code
    }
}
