import GatewayCore

/// The bounds of asking about opaque tokens that are not configured; times in nanoseconds.
enum OpaqueBounds {
    /// The most calls of a provider that wait for their turn.
    static let waiting = 1024
    /// The most requests that wait for a provider's answers, many of them for the same one.
    static let askers = 16_384
    /// How long a call waits for its turn.
    static let patience: UInt64 = 5_000_000_000
    /// How long a provider is left alone after a failure, where it does not say; and a token that its provider has no answer for.
    static let pause: UInt64 = 1_000_000_000
    /// How often one kind of failure of a provider is told in the log.
    static let logInterval: UInt64 = 60_000_000_000
}

/// A moment by both clocks.
struct OpaqueMoment {
    /// Nanoseconds, for waits.
    var monotonic: UInt64
    /// Milliseconds since 1970, for tokens' ends.
    var wall: Int64

    /// When `expiresAt` is by the monotonic clock.
    func monotonic(of expiresAt: UnixTime) -> UInt64 {
        let left = expiresAt.milliseconds(after: wall)
        guard left < 1 << 40 else { return .max }
        return left <= 0 ? monotonic : monotonic &+ UInt64(left) &* 1_000_000
    }
}
