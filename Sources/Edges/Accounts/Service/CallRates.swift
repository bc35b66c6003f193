package import GatewayConfiguration
package import GatewayCore
package import Revocation

/// Rate limits of account requests, which make guessing slow. `now` is monotonic, in nanoseconds.
package protocol CallRating: Sendable {
    /// Counts a request of a client's network. `nil` if it is permitted, otherwise the number of seconds to wait.
    func allow(network: PeerNetwork, now: UInt64) -> Int?

    /// Counts a request that concerns an account or an identity, by its user key.
    func allow(user: UserKey, now: UInt64) -> Int?
}

/// The rate limits of account requests by network and by account, in bounded memory.
///
/// Each bucket refills evenly: a number of requests per minute, of which a third (at least five) may come at once. A
/// rejected request is not counted. Peers without an address, on a Unix socket without a trusted proxy, share one
/// bucket.
///
/// The buckets are local to this gateway. With several gateways, a client has the full rate at each.
package final class CallRates: CallRating {
    /// 65,536 buckets, 1 MiB.
    private let networks = TokenBucketTable(groups: 8192)
    private let accounts = TokenBucketTable(groups: 8192)
    private let networkBucket: TokenBucket
    private let accountBucket: TokenBucket

    /// Creates the limits.
    ///
    /// - Parameters:
    ///   - perAddress: Requests per network and minute (`calls_per_address`).
    ///   - perAccount: Requests per account and minute (`calls_per_account`).
    init(perAddress: Int, perAccount: Int) {
        networkBucket = TokenBucket(perMinute: perAddress)
        accountBucket = TokenBucket(perMinute: perAccount)
    }

    package convenience init(_ accounts: Configuration.Accounts) {
        self.init(perAddress: accounts.callsPerAddress, perAccount: accounts.callsPerAccount)
    }

    package func allow(network: PeerNetwork, now: UInt64) -> Int? {
        networks.take(networks.key { $0.combine(network) }, of: networkBucket, now: now)
    }

    package func allow(user: UserKey, now: UInt64) -> Int? {
        accounts.take(accounts.key { $0.combine(user) }, of: accountBucket, now: now)
    }
}
