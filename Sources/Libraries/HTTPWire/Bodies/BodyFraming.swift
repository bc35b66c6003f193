/// How the end of a message's body is known (RFC 9112 section 6.3).
public enum BodyFraming: Sendable, Hashable {
    /// There is no body.
    case none
    /// The body has this many bytes, at most `Int64.max`; zero where `Content-Length: 0` says so.
    case length(UInt64)
    /// The body is chunks, with trailers after them.
    case chunked
    /// The body is what comes until the connection closes; responses only.
    case untilClose

    /// Whether there are body bytes to read: a body of unknown length, or of a length above zero.
    public var hasBody: Bool {
        switch self {
        case .none, .length(0): false
        case .length, .chunked, .untilClose: true
        }
    }
}
