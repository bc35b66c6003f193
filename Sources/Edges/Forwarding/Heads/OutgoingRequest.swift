package import HTTPWire
package import RequestPipeline

/// The properties of a request that an upstream connection needs in addition to its head. Only rendering with a permit
/// creates one: its initializer is internal, and pools accept nothing else.
package struct OutgoingRequest {
    package let method: Method
    /// Whether the body is sent in chunks.
    package let isChunked: Bool
    /// The trailer fields that may follow a chunked body.
    package let trailers: TrailerFilter?
    /// The timeout until the response begins, in nanoseconds.
    package let responseTimeout: UInt64
    /// The requested protocol of an upgrade. `nil` without an upgrade.
    package var upgrade: UpgradeRequest?
    /// The hash of the value by which its server is chosen. `nil` without a value.
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
