package import GatewayCore

/// The limits of failed authentications of introspection clients, which make guessing of secrets slow. One instance per
/// process persists across reloads, so that a reload refills no bucket.
///
/// A request is delayed before its secret is compared. Only failures count. A client that was authenticated at an
/// address in the last day is not delayed there by failures of other clients or at other addresses.
///
/// All memory is fixed. Failures cannot evict the records of authenticated clients. Peers without an address, on a Unix
/// socket, share one bucket. `now` is monotonic, in nanoseconds.
package final class AuthenticationLimits: Sendable {
    /// Failures of a client at an address per minute, at most as many at once.
    package static let failuresOfPair = 10
    /// Failures at an address per minute, of all clients.
    package static let failuresAtAddress = 30
    /// Failures of a client per minute, at all addresses.
    package static let failuresOfClient = 100
    /// How long an authentication exempts a client at an address, in nanoseconds: a day.
    static let exemption: UInt64 = 86_400_000_000_000

    private static let minute: UInt64 = 60_000_000_000
    private static let ofPair = TokenBucket(requests: failuresOfPair, every: minute, burst: failuresOfPair)
    private static let atAddress = TokenBucket(requests: failuresAtAddress, every: minute, burst: failuresAtAddress)
    private static let ofClient = TokenBucket(requests: failuresOfClient, every: minute, burst: failuresOfClient)

    /// 8,192 buckets each, 128 KiB.
    private let pairs = TokenBucketTable(groups: 1024)
    private let addresses = TokenBucketTable(groups: 1024)
    private let clients = TokenBucketTable(groups: 1024)
    /// 4,096 clients at addresses, 64 KiB.
    private let authenticated = RecentKeyTable(groups: 512)

    package init() {}

    /// Returns the seconds to wait before the secret may be compared. `nil` if it may be compared now.
    package func wait(for client: ClientCredential.Name, at network: PeerNetwork, now: UInt64) -> Int? {
        let keys = keys(client, network)
        let wait = pairs.wait(keys.pair, of: Self.ofPair, now: now)
        guard !authenticated.contains(keys.pair, within: Self.exemption, now: now) else { return wait }
        let others = [
            addresses.wait(keys.address, of: Self.atAddress, now: now),
            clients.wait(keys.client, of: Self.ofClient, now: now),
        ]
        return ([wait] + others).compactMap(\.self).max()
    }

    /// Counts a failure.
    package func recordFailure(of client: ClientCredential.Name, at network: PeerNetwork, now: UInt64) {
        let keys = keys(client, network)
        _ = pairs.take(keys.pair, of: Self.ofPair, now: now)
        _ = addresses.take(keys.address, of: Self.atAddress, now: now)
        _ = clients.take(keys.client, of: Self.ofClient, now: now)
    }

    /// Exempts a client at an address, or extends its exemption.
    package func recordSuccess(of client: ClientCredential.Name, at network: PeerNetwork, now: UInt64) {
        authenticated.record(keys(client, network).pair, now: now)
    }

    private func keys(
        _ client: ClientCredential.Name, _ network: PeerNetwork
    ) -> (pair: UInt64, address: UInt64, client: UInt64) {
        let pair = pairs.key { hasher in
            hasher.combine(client)
            hasher.combine(network)
        }
        return (pair, addresses.key { $0.combine(network) }, clients.key { $0.combine(client) })
    }
}
