/// The limits of one client connection; sizes in bytes, times in nanoseconds.
package struct ConnectionLimits: Sendable {
    /// The maximum size of a request head.
    package var headSize: Int = 65_536
    /// The maximum number of header fields of a request.
    package var headFields: Int = 128
    /// The timeout of a head from its first byte.
    package var headTimeout: UInt64 = 10_000_000_000
    /// The total timeout of TLS handshake and PROXY header.
    package var handshakeTimeout: UInt64 = 10_000_000_000
    /// The timeout of an idle connection between requests, and of a body without progress in either direction.
    package var idleTimeout: UInt64 = 75_000_000_000
    /// The minimum average rate of a request's body after ``bodyGrace``, in bytes per second. 0 if there is no minimum.
    package var bodyRate: UInt64 = 240
    /// The timeout of a request from its first byte to the last byte of the response. `nil` if there is no limit.
    package var requestTimeout: UInt64?
    /// The limits of HTTP/2 connections.
    package var http2 = HTTP2Limits()

    package init() {}

    /// Returns the limits of a gRPC call before its response. Its messages may arrive at any rate, and a server may
    /// answer after the first message only.
    ///
    /// - Parameter idle: The maximum time without bytes.
    func ofCall(idle: UInt64) -> ConnectionLimits {
        var limits = self
        limits.bodyRate = 0
        limits.idleTimeout = idle
        return limits
    }

    /// The period in which a body may arrive at any rate.
    static let bodyGrace: UInt64 = 10_000_000_000
    /// The time and the number of bytes for which a connection is read after its last response, so that a reset does
    /// not destroy the response.
    static let lingerTimeout: UInt64 = 2_000_000_000
    static let lingerBytes = 1 << 20
    /// The maximum number of buffered bytes of a body or of further requests. Beyond it, reading pauses.
    package static let heldBytes = 65_536
}
