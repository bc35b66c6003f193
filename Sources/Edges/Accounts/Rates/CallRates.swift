package import GatewayConfiguration
package import GatewayCore
package import Revocation
import Synchronization

/// Counts account calls by the client's network and by the account that they concern, in bounded memory.
///
/// Each has a bucket that refills evenly: so many calls a minute, a third of them (at least five) at once. A call that is refused counts for
/// nothing. Peers without an address share one bucket: a Unix socket's, for whom no trusted proxy speaks.
///
/// The buckets are this gateway's: with several, a client has the rate at each.
package final class CallRates: CallRating {
    private let networks: Mutex<BucketTable>
    private let accounts: Mutex<BucketTable>

    /// - Parameters:
    ///   - perAddress: calls of a network a minute (`calls_per_address`).
    ///   - perAccount: calls that concern an account a minute (`calls_per_account`).
    init(perAddress: Int, perAccount: Int) {
        networks = Mutex(BucketTable(of: CallBucket(perMinute: perAddress)))
        accounts = Mutex(BucketTable(of: CallBucket(perMinute: perAccount)))
    }

    package convenience init(_ accounts: Configuration.Accounts) {
        self.init(perAddress: accounts.callsPerAddress, perAccount: accounts.callsPerAccount)
    }

    package func allow(network: PeerNetwork, now: UInt64) -> Int? {
        networks.withLock { table in table.take(now: now) { $0.combine(network) } }
    }

    package func allow(user: UserKey, now: UInt64) -> Int? {
        accounts.withLock { table in table.take(now: now) { $0.combine(user) } }
    }
}
