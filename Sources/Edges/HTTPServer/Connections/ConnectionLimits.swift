/// The bounds of one client connection; sizes in bytes, times in nanoseconds.
package struct ConnectionLimits: Sendable {
    /// The longest request head.
    package var headSize: Int = 65_536
    /// The most header fields of a request.
    package var headFields: Int = 128
    /// How long a complete head may take from its first byte.
    package var headTimeout: UInt64 = 10_000_000_000
    /// How long the TLS handshake and the PROXY header may take together.
    package var handshakeTimeout: UInt64 = 10_000_000_000
    /// How long a connection may be idle between requests, or a body without progress in either direction.
    package var idleTimeout: UInt64 = 75_000_000_000
    /// How many bytes a second a request's body must bring on average, beyond ``bodyGrace``; 0: any.
    package var bodyRate: UInt64 = 240
    /// How long a request may take from its first byte to its answer's last; nil: no bound.
    package var requestTimeout: UInt64?

    package init() {}

    /// How long a body may come at any rate.
    static let bodyGrace: UInt64 = 10_000_000_000
    /// How long, and how much, a connection is read after its last answer, so that a reset does not destroy the answer.
    static let lingerTimeout: UInt64 = 2_000_000_000
    static let lingerBytes = 1 << 20
    /// How much of a body or of following requests is held while it cannot be passed on; reading pauses beyond it.
    package static let heldBytes = 65_536
}
