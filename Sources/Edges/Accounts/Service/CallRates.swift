package import GatewayConfiguration
package import GatewayCore
package import Revocation

/// Counts calls of accounts, so that guessing costs time. `now` is monotonic, in nanoseconds.
package protocol CallRating: Sendable {
    /// Counts a call of a client's network; nil: it may be served, else after how many seconds it may come again.
    func allow(network: PeerNetwork, now: UInt64) -> Int?

    /// Counts a call that concerns an account or an identity, by the name of its user.
    func allow(user: UserKey, now: UInt64) -> Int?
}

/// Counts account calls by the client's network and by the account that they concern, in bounded memory.
///
/// Each has a bucket that refills evenly: so many calls a minute, a third of them (at least five) at once. A call that is refused counts for
/// nothing. Peers without an address share one bucket: a Unix socket's, for whom no trusted proxy speaks.
///
/// The buckets are this gateway's: with several, a client has the rate at each.
package final class CallRates: CallRating {
    /// 65,536 buckets, 1 MiB.
    private let networks = TokenBucketTable(groups: 8192)
    private let accounts = TokenBucketTable(groups: 8192)
    private let networkBucket: TokenBucket
    private let accountBucket: TokenBucket

    /// - Parameters:
    ///   - perAddress: calls of a network a minute (`calls_per_address`).
    ///   - perAccount: calls that concern an account a minute (`calls_per_account`).
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
