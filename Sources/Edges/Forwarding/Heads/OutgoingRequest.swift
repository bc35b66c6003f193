package import HTTPWire
package import RequestPipeline

/// What an upstream connection needs to know of a request, besides its head. Only rendering with a permit creates one: its initializer is internal, and
/// pools accept nothing else.
package struct OutgoingRequest {
    package let method: Method
    /// The body goes in chunks.
    package let isChunked: Bool
    /// Which trailer fields may follow a chunked body.
    package let trailers: TrailerFilter?
    /// How long the upstream may take to begin its answer, in nanoseconds.
    package let responseTimeout: UInt64
    /// The protocol that is asked for; nil: none is.
    package var upgrade: UpgradeRequest?
    /// The hash of what its server is chosen by; nil: there is nothing.
    package var balanceValue: UInt64?

    init(
        method: Method, isChunked: Bool, trailers: TrailerFilter?, responseTimeout: UInt64,
        upgrade: UpgradeRequest? = nil, balanceValue: UInt64? = nil
    ) {
        self.method = method
        self.isChunked = isChunked
        self.trailers = trailers
        self.responseTimeout = responseTimeout
        self.upgrade = upgrade
        self.balanceValue = balanceValue
    }

    /// RFC 9110 section 9.2.2.
    var isIdempotent: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .patch, .connect, .other: false
        }
    }
}
