package import GatewayCore
package import Revocation

/// The buckets of all routes' rate limits: one of these for a process, beyond reloads, so that a limit holds for all workers together and a
/// reload gives nobody a full bucket. A limit that a reload changes has other keys, and so begins anew.
///
/// Peers without an address share one bucket: a Unix socket's, for whom no trusted proxy speaks.
package final class RateTables: Sendable {
    /// How many buckets there are for users and addresses: 8 MiB, taken as they are used.
    package static let clientBuckets = 524_288
    /// How many for routes, which clients cannot crowd.
    package static let routeBuckets = 131_072

    private let clients: TokenBucketTable
    private let routes: TokenBucketTable

    package init(clientBuckets: Int = RateTables.clientBuckets, routeBuckets: Int = RateTables.routeBuckets) {
        clients = TokenBucketTable(groups: clientBuckets / TokenBucketTable.ways)
        routes = TokenBucketTable(groups: routeBuckets / TokenBucketTable.ways)
    }

    /// Why a request may not pass: the limit, and after how many seconds it may.
    package struct Refusal {
        package let limit: RouteRates.Limit
        package let retryAfter: Int
    }

    /// Takes what can be told before it is known who is asking: of the address, then, only if it passes there, of the route.
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

    /// Takes what is the user's; the anonymous are told by their network. Who is refused has not cost the route anything.
    package func take(_ rates: RouteRates, user: StoreKey?, network: PeerNetwork, now: UInt64) -> Refusal? {
        for limit in rates.users {
            let key = key(of: limit, in: clients) { hasher in
                hasher.combine(user)
                if user == nil { hasher.combine(network) }
            }
            guard let wait = clients.take(key, of: limit.shape, now: now) else { continue }
            for limit in rates.routes { routes.giveBack(self.key(of: limit, in: routes), of: limit.shape) }
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
