package import GatewayCore

/// The limit of failed sign-ins to the console, which makes guessing of tokens slow.
///
/// A sign-in is delayed before its token is compared, and only failures count. All memory is fixed. Clients without an
/// address, and all clients behind one proxy, share a limit. `now` is monotonic, in nanoseconds.
package final class SignInLimits: Sendable {
    /// The failures of an IPv4 address or IPv6 /64 per minute, at most as many at once.
    package static let failuresPerMinute = 10

    private static let bucket = TokenBucket(
        requests: failuresPerMinute, every: 60_000_000_000, burst: failuresPerMinute)

    /// 1,024 buckets, 16 KiB.
    private let networks = TokenBucketTable(groups: 128)

    package init() {}

    /// Returns the seconds to wait before a token may be compared. `nil` if it may be compared now.
    package func wait(for network: PeerNetwork, now: UInt64) -> Int? {
        networks.wait(key(network), of: Self.bucket, now: now)
    }

    /// Counts a failure.
    package func recordFailure(of network: PeerNetwork, now: UInt64) {
        _ = networks.take(key(network), of: Self.bucket, now: now)
    }

    private func key(_ network: PeerNetwork) -> UInt64 { networks.key { $0.combine(network) } }
}
