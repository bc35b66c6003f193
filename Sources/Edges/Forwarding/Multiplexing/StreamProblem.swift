import GatewayCore
import HTTP2Mapping

/// The reason why an HTTP/2 stream, or the connection below it, failed.
enum StreamProblem: Error, Equatable {
    /// The server has not processed the request (RFC 9113 section 8.7), or it was not sent.
    case refused
    /// All connections of the upstream are full.
    case full
    /// The response is invalid.
    case invalidResponse(String)
    /// The request's head cannot be sent with HTTP/2.
    case unsendable(DecisionCode, String)
    /// The server reset the stream.
    case reset(String)
    /// The connection failed.
    case connection(String)
}

extension StreamProblem {
    /// The problem of a head that has no form in HTTP/2.
    init(_ failure: UpstreamRequestHead.Failure) {
        self =
            switch failure {
            case .malformed: .unsendable(.internalError, "the head cannot be converted to HTTP/2")
            case .notUTF8: .unsendable(.malformedRequest, "a field value is not UTF-8")
            case .upgrade: .unsendable(.malformedRequest, "the upstream's HTTP/2 has no upgrades")
            case .tooLarge: .unsendable(.headTooLarge, "the head is too large for the upstream's HTTP/2")
            }
    }
}
