import GatewayCore

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
