package import GatewayCore

/// The content of one access log line. No field contains a credential.
///
/// Texts are only read during `AccessLogBuffer.record`. Control characters and bytes that are not UTF-8 are escaped.
package struct AccessLogEntry {
    /// A text in one of several representations.
    package enum Text {
        /// Written as `null`.
        case none
        /// Memory that is valid until `record` returns.
        case bytes(UnsafeRawBufferPointer)
        /// Bytes owned by the caller.
        case array([UInt8])
        /// A string owned by the caller.
        case string(String)
        /// A string literal of the program.
        case literal(StaticString)
    }

    /// Whether the request came over HTTP/2. Otherwise `protocol` is omitted.
    package var isHTTP2 = false
    /// When the head was complete, in milliseconds since 1970.
    package var time: Int64
    /// The request ID of 128 bits, written as 32 hexadecimal digits.
    package var requestID: (UInt64, UInt64)
    /// The trace ID, written as 32 hexadecimal digits. Omitted if zero.
    package var traceID: (UInt64, UInt64) = (0, 0)
    /// The client's address without its port.
    package var client = Text.none
    /// The method as spelled by the client.
    package var method = Text.none
    /// The requested path, without the query and truncated to 2 KiB.
    package var path = Text.none
    /// The response status. 0, written as `null`, if the client was gone before a response.
    package var status: UInt16 = 0
    /// The code of the decision.
    package var code: DecisionCode
    /// The verified uid. Absent for anonymous and denied requests.
    package var uid = Text.none
    /// The Firebase project and the tenant, if they are part of the user key. Otherwise omitted.
    package var project = Text.none
    package var tenant = Text.none
    /// The result of the App Check token. Omitted if the route does not check it.
    package var appCheck: AppCheckResult?
    /// The reason for which a route that enforces App Check would have denied the request. Omitted if absent.
    package var appCheckReason = Text.none
    /// The name of the verified app. Omitted without one.
    package var app = Text.none
    /// The pattern of the route.
    package var route = Text.none
    /// The name of the upstream.
    package var upstream = Text.none
    /// The endpoint of the listener for decisions. Omitted for a request that is forwarded.
    package var frontEnd = Text.none
    /// The phase that denied the request. Omitted if it was not denied.
    package var phase: DecisionPhase?
    /// The precise reason of a denial. Omitted if absent.
    package var reason = Text.none
    /// The `allow` statement that decided, as `FILE:LINE`. Omitted if absent.
    package var rule = Text.none
    /// The time from the complete head to the last byte of the response.
    package var durationMicroseconds: UInt64 = 0
    /// The time from the forwarded head to the first byte of the response. `nil` if the request was not forwarded, or
    /// without a response.
    package var upstreamMicroseconds: UInt64?
    /// Body bytes received from the client.
    package var bytesIn: UInt64 = 0
    /// Body bytes sent to the client.
    package var bytesOut: UInt64 = 0

    /// Creates an entry whose other fields are absent or zero.
    package init(time: Int64, requestID: (UInt64, UInt64), code: DecisionCode) {
        self.time = time
        self.requestID = requestID
        self.code = code
    }
}
