package import GatewayCore

/// The result of consuming a limited-use App Check token.
package enum AppTokenUse: Sendable, Equatable {
    /// This call consumed the token.
    case first
    /// An earlier call consumed the token.
    case repeated
    /// Firebase does not consume tokens of this kind.
    case refused
    /// Firebase could not be called, or its response is unusable. The reason is for the log, and `Retry-After` is in
    /// seconds.
    case unavailable(reason: String, retryAfter: Int?)
}

/// The consumer of limited-use App Check tokens, off the request path and shared by the workers.
package protocol AppTokenConsumer: Sendable {
    /// Consumes a verified token by a call of its own, even if another call with the same token runs. A token that is
    /// known to be consumed needs no call. It calls `completion` once, from any thread, during this call or later. It
    /// may omit that if the interest has ended.
    ///
    /// - Parameters:
    ///   - expiry: The token's `exp`, until which its use is known.
    ///   - network: The client's network, so that a client with many requests delays only its own.
    ///   - interest: The token of a queued call is not consumed after the interest has ended.
    func consume(
        _ token: [UInt8], expiringAt expiry: UnixTime, for network: PeerNetwork, while interest: LookupInterest,
        completion: @escaping @Sendable (AppTokenUse) -> Void)
}

/// The interest of a request in the result of a lookup.
///
/// The waiting request owns it, and the lookup refers to it weakly. When the client disconnects or the request has
/// waited too long, it is released, and a lookup that has not started is dropped.
package final class LookupInterest: Sendable {
    package init() {}
}
