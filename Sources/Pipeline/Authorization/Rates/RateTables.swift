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

    private let clients: RateTable
    private let routes: RateTable
    private let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    package init(clientBuckets: Int = RateTables.clientBuckets, routeBuckets: Int = RateTables.routeBuckets) {
        clients = RateTable(groups: clientBuckets / RateTable.ways)
        routes = RateTable(groups: routeBuckets / RateTable.ways)
    }

    /// Why a request may not pass: the limit, and after how many seconds it may.
    package struct Refusal {
        package let limit: RouteRates.Limit
        package let retryAfter: Int
    }

    /// Takes what can be told before it is known who is asking: of the address, then, only if it passes there, of the route.
    package func take(_ rates: RouteRates, network: PeerNetwork, now: UInt64) -> Refusal? {
        for limit in rates.addresses {
            let key = key(of: limit) { $0.combine(network) }
            if let wait = clients.take(key, of: limit.shape, now: now) {
                return Refusal(limit: limit, retryAfter: wait)
            }
        }
        for limit in rates.routes {
            if let wait = routes.take(key(of: limit) { _ in }, of: limit.shape, now: now) {
                return Refusal(limit: limit, retryAfter: wait)
            }
        }
        return nil
    }

    /// Takes what is the user's; the anonymous are told by their network. Who is refused has not cost the route anything.
    package func take(_ rates: RouteRates, user: StoreKey?, network: PeerNetwork, now: UInt64) -> Refusal? {
        for limit in rates.users {
            let key = key(of: limit) { hasher in
                hasher.combine(user)
                if user == nil { hasher.combine(network) }
            }
            guard let wait = clients.take(key, of: limit.shape, now: now) else { continue }
            for limit in rates.routes { routes.giveBack(self.key(of: limit) { _ in }, of: limit.shape) }
            return Refusal(limit: limit, retryAfter: wait)
        }
        return nil
    }

    private func key(of limit: RouteRates.Limit, _ feed: (inout Hasher) -> Void) -> UInt64 {
        // SipHash with a seed of the process, unless the environment takes it away: so one of our own.
        var hasher = Hasher()
        hasher.combine(secret.0)
        hasher.combine(secret.1)
        hasher.combine(limit.identity)
        feed(&hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
