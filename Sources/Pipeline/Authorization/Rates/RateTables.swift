package import GatewayCore
package import Revocation

/// The token buckets of all routes' rate limits. One instance per process persists across reloads, so that all workers
/// share each limit and a reload refills no bucket. A limit that a reload changes has a new key and starts anew.
///
/// Peers without an address, on a Unix socket without a trusted proxy, share one bucket.
package final class RateTables: Sendable {
    /// The number of buckets for users and addresses: 8 MiB, allocated as they are used.
    package static let clientBuckets = 524_288
    /// The number of buckets for routes. Clients cannot evict them.
    package static let routeBuckets = 131_072

    private let clients: TokenBucketTable
    private let routes: TokenBucketTable

    package init(clientBuckets: Int = RateTables.clientBuckets, routeBuckets: Int = RateTables.routeBuckets) {
        clients = TokenBucketTable(groups: clientBuckets / TokenBucketTable.ways)
        routes = TokenBucketTable(groups: routeBuckets / TokenBucketTable.ways)
    }

    /// A denial by a rate limit: the limit, and the number of seconds to wait.
    package struct Refusal {
        package let limit: RouteRates.Limit
        package let retryAfter: Int
    }

    /// Takes a token for the address, then for the route. This happens before authentication. A request that exceeds
    /// its address limit costs the route nothing.
    package func take(_ rates: RouteRates, network: PeerNetwork, now: UInt64) -> Refusal? {
        for limit in rates.addresses {
            let key = key(of: limit, in: clients) { $0.combine(network) }
            if let wait = clients.take(key, of: limit.shape, now: now) {
                return Refusal(limit: limit, retryAfter: wait)
            }
        }
        for limit in rates.routes {
            if let wait = routes.take(key(of: limit, in: routes), of: limit.shape, now: now) {
                return Refusal(limit: limit, retryAfter: wait)
            }
        }
        return nil
    }

    /// Takes a token for the user, or for the network of an anonymous client. A denial returns the tokens of the route.
    package func take(_ rates: RouteRates, user: StoreKey?, network: PeerNetwork, now: UInt64) -> Refusal? {
        for limit in rates.users {
            let key = key(of: limit, in: clients) { hasher in
                hasher.combine(user)
                if user == nil { hasher.combine(network) }
            }
            guard let wait = clients.take(key, of: limit.shape, now: now) else { continue }
            for limit in rates.routes { routes.release(self.key(of: limit, in: routes), of: limit.shape) }
            return Refusal(limit: limit, retryAfter: wait)
        }
        return nil
    }

    private func key(
        of limit: RouteRates.Limit, in table: TokenBucketTable, _ feed: (inout Hasher) -> Void = { _ in }
    ) -> UInt64 {
        table.key {
            $0.combine(limit.identity)
            feed(&$0)
        }
    }
}
