import HTTPWire

/// What an upstream connection needs to know of a request, besides its head.
struct OutgoingRequest {
    let method: Method
    /// The body goes in chunks.
    let isChunked: Bool
    /// Which trailer fields may follow a chunked body.
    let trailers: TrailerFilter?
    /// How long the upstream may take to begin its answer, in nanoseconds.
    let responseTimeout: UInt64
    /// The protocol that is asked for; nil: none is.
    var upgrade: UpgradeRequest?
    /// The hash of what its server is chosen by; nil: there is nothing.
    var balanceValue: UInt64?

    /// RFC 9110 section 9.2.2.
    var isIdempotent: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .patch, .connect, .other: false
        }
    }
}
