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
    /// The limits that all gateways share. `nil` if the store has only one gateway.
    package let shared: SharedRates?

    package init(
        clientBuckets: Int = RateTables.clientBuckets, routeBuckets: Int = RateTables.routeBuckets,
        shared: SharedRates? = nil
    ) {
        clients = TokenBucketTable(groups: clientBuckets / TokenBucketTable.ways)
        routes = TokenBucketTable(groups: routeBuckets / TokenBucketTable.ways)
        self.shared = shared
    }

    /// A denial by a rate limit: the limit, and the number of seconds to wait.
    package struct Refusal {
        package let limit: RouteRates.Limit
        package let retryAfter: Int
    }

    /// The result of a request that was not accepted.
    package enum Outcome {
        case refused(Refusal)
        /// The request has to wait for the charge of a shared bucket, and is then counted against the remaining limits.
        case wait(SharedRates.Key)
    }

    /// Takes a token for the address, then for the route. This happens before authentication. A request that exceeds
    /// its address limit costs the route nothing. `nil` if all limits accept the request.
    ///
    /// - Parameters:
    ///   - counted: The number of limits that accepted the request so far.
    ///   - mayWait: Whether the request can wait for a shared bucket.
    package func take(
        _ rates: RouteRates, network: PeerNetwork, counted: inout Int, mayWait: Bool = true, now: UInt64
    ) -> Outcome? {
        let addresses = rates.addresses.count
        while counted < addresses + rates.routes.count {
            let isRoute = counted >= addresses
            let limit = isRoute ? rates.routes[counted - addresses] : rates.addresses[counted]
            let outcome = take(limit, isRoute ? .route : .network(network), mayWait, now)
            if let outcome { return outcome }
            counted += 1
        }
        return nil
    }

    /// Takes a token for the user, or for the network of an anonymous client. A denial returns the tokens of the route.
    package func take(
        _ rates: RouteRates, user: StoreKey?, network: PeerNetwork, counted: inout Int, mayWait: Bool = true,
        now: UInt64
    ) -> Outcome? {
        let subject = user.map(SharedLimit.Subject.user) ?? .network(network)
        while counted < rates.users.count {
            guard let outcome = take(rates.users[counted], subject, mayWait, now) else {
                counted += 1
                continue
            }
            if case .refused = outcome { for limit in rates.routes { release(limit, now) } }
            return outcome
        }
        return nil
    }

    private func take(
        _ limit: RouteRates.Limit, _ subject: SharedLimit.Subject, _ mayWait: Bool, _ now: UInt64
    ) -> Outcome? {
        let table = subject == .route ? routes : clients
        let key = key(of: limit, subject, in: table)
        if let sharedLimit = limit.shared, let shared {
            let name = SharedRates.Key(hash: key, isRoute: subject == .route)
            switch shared.take(name, of: sharedLimit, for: subject, mayWait: mayWait, now: now) {
            case .accepted: return nil
            case .empty(let wait): return .refused(Refusal(limit: limit, retryAfter: wait))
            case .waiting: return .wait(name)
            case .untracked: break
            }
        }
        return table.take(key, of: limit.shape, now: now).map { .refused(Refusal(limit: limit, retryAfter: $0)) }
    }

    /// Returns a token of the route.
    private func release(_ limit: RouteRates.Limit, _ now: UInt64) {
        let key = key(of: limit, .route, in: routes)
        if limit.shared != nil, let shared, shared.release(SharedRates.Key(hash: key, isRoute: true), now: now) {
            return
        }
        routes.release(key, of: limit.shape)
    }

    /// Returns the key of a bucket, which is not 0.
    private func key(
        of limit: RouteRates.Limit, _ subject: SharedLimit.Subject, in table: TokenBucketTable
    ) -> UInt64 {
        let key = table.key {
            $0.combine(limit.identity)
            $0.combine(subject)
        }
        return max(key, 1)
    }
}
