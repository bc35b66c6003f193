package import GatewayCore

/// A limit of sign-ins to the console by network. One counts failures, which makes guessing of tokens slow; another
/// one counts sign-ins of viewers.
///
/// A failed sign-in delays the next one before its token is compared. All memory is fixed. Clients without an address,
/// and all clients behind one proxy, share a limit. `now` is monotonic, in nanoseconds.
package final class SignInLimits: Sendable {
    /// The counted sign-ins of an IPv4 address or IPv6 /64 per minute, at most as many at once.
    package static let perMinute = 10

    private static let bucket = TokenBucket(requests: perMinute, every: 60_000_000_000, burst: perMinute)

    /// 1,024 buckets, 16 KiB.
    private let networks = TokenBucketTable(groups: 128)

    package init() {}

    /// Returns the seconds to wait before the next sign-in. `nil` without a delay.
    package func wait(for network: PeerNetwork, now: UInt64) -> Int? {
        networks.wait(key(network), of: Self.bucket, now: now)
    }

    /// Counts a sign-in.
    package func record(_ network: PeerNetwork, now: UInt64) {
        _ = networks.take(key(network), of: Self.bucket, now: now)
    }

    private func key(_ network: PeerNetwork) -> UInt64 { networks.key { $0.combine(network) } }
}
