package import GatewayCore

/// What one line of the access log tells of a request. No field holds a credential, and none may be made to.
///
/// Texts are only read during `AccessLogBuffer.record`; what is not UTF-8 in them, and every control character, is written escaped.
package struct AccessLogEntry {
    /// A text that the caller has in one form or another.
    package enum Text {
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
    package var time: Int64
    /// The 128 bits of the request's id, written as 32 hexadecimal digits.
    package var requestID: (UInt64, UInt64)
    /// The trace that the request is part of, written as 32 hexadecimal digits; zero: left out of the line.
    package var traceID: (UInt64, UInt64) = (0, 0)
    /// The client's address without its port.
    package var client = Text.none
    /// As the client spelled it.
    package var method = Text.none
    /// The path as it was asked for. Cut before a `?` and at 2 KiB.
    package var path = Text.none
    /// What the client got; 0, written as `null`, when it was gone before an answer.
    package var status: UInt16 = 0
    /// What the gateway decided.
    package var code: DecisionCode
    /// The verified uid; none for anonymous and refused requests.
    package var uid = Text.none
    /// The tenant, where it is a part of the user's name. Left out of the line where it is not.
    package var tenant = Text.none
    /// The route's pattern.
    package var route = Text.none
    /// The upstream's name.
    package var upstream = Text.none
    /// The phase that denied the request. Left out of the line if none did.
    package var phase: DecisionPhase?
    /// Why the request was refused, precisely. Left out of the line where there is none.
    package var reason = Text.none
    /// The `allow` of the rules that decided, `FILE:LINE`. Left out of the line where none did.
    package var rule = Text.none
    /// From a complete head to the answer's last byte.
    package var durationMicroseconds: UInt64 = 0
    /// From the forwarded head to the answer's first byte; nil when nothing was forwarded or answered.
    package var upstreamMicroseconds: UInt64?
    /// Body bytes from the client.
    package var bytesIn: UInt64 = 0
    /// Body bytes to the client.
    package var bytesOut: UInt64 = 0

    /// An entry whose other fields are absent or zero.
    package init(time: Int64, requestID: (UInt64, UInt64), code: DecisionCode) {
        self.time = time
        self.requestID = requestID
        self.code = code
    }
}
