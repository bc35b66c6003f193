package import GatewayCore

/// The limits of failed authentications of introspection clients, which make guessing of secrets slow. One instance per
/// process persists across reloads, so that a reload refills no bucket.
///
/// A request is delayed before its secret is compared. Only failures count. A client that was authenticated at an
/// address in the last day is not delayed there, because its neighbours could otherwise lock it out. Failures at other
/// addresses never delay a client, because strangers could otherwise lock out a service that starts.
///
/// All memory is fixed. Failures cannot evict the records of authenticated clients. Peers without an address, on a Unix
/// socket, share one bucket. `now` is monotonic, in nanoseconds.
package final class AuthenticationLimits: Sendable {
    /// Failures of a client at an address per minute, at most as many at once.
    package static let failuresOfPair = 10
    /// Failures at an address per minute, of all clients.
    package static let failuresAtAddress = 30
    /// How long an authentication exempts a client at an address, in nanoseconds: a day.
    static let exemption: UInt64 = 86_400_000_000_000

    private static let minute: UInt64 = 60_000_000_000
    private static let ofPair = TokenBucket(requests: failuresOfPair, every: minute, burst: failuresOfPair)
    private static let atAddress = TokenBucket(requests: failuresAtAddress, every: minute, burst: failuresAtAddress)

    /// 8,192 buckets each, 128 KiB.
    private let pairs = TokenBucketTable(groups: 1024)
    private let addresses = TokenBucketTable(groups: 1024)
    /// 4,096 clients at addresses, 64 KiB.
    private let authenticated = RecentKeyTable(groups: 512)

    package init() {}

    /// Returns the seconds to wait before the secret may be compared. `nil` if it may be compared now.
    package func wait(for client: ClientCredential.Name, at network: PeerNetwork, now: UInt64) -> Int? {
        let pair = key(client, network)
        guard !authenticated.contains(pair, within: Self.exemption, now: now) else { return nil }
        let waits = [
            pairs.wait(pair, of: Self.ofPair, now: now), addresses.wait(key(network), of: Self.atAddress, now: now),
        ]
        return waits.compactMap(\.self).max()
    }

    /// Counts a failure.
    package func recordFailure(of client: ClientCredential.Name, at network: PeerNetwork, now: UInt64) {
        _ = pairs.take(key(client, network), of: Self.ofPair, now: now)
        _ = addresses.take(key(network), of: Self.atAddress, now: now)
    }

    /// Exempts a client at an address, or extends its exemption.
    package func recordSuccess(of client: ClientCredential.Name, at network: PeerNetwork, now: UInt64) {
        authenticated.record(key(client, network), now: now)
    }

    private func key(_ client: ClientCredential.Name, _ network: PeerNetwork) -> UInt64 {
        pairs.key { hasher in
            hasher.combine(client)
            hasher.combine(network)
        }
    }

    private func key(_ network: PeerNetwork) -> UInt64 { addresses.key { $0.combine(network) } }
}
