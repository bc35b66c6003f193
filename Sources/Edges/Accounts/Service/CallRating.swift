package import GatewayCore
package import Revocation

/// Counts calls of accounts, so that guessing costs time. `now` is monotonic, in nanoseconds.
package protocol CallRating: Sendable {
    /// Counts a call of a client's network; nil: it may be served, else after how many seconds it may come again.
    func allow(network: PeerNetwork, now: UInt64) -> Int?

    /// Counts a call that concerns an account or an identity, by the name of its user.
    func allow(user: UserKey, now: UInt64) -> Int?
}
