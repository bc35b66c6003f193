@testable import Gatehouse

/// Lets every call pass.
struct UnlimitedCalls: CallRating {
    func allow(network: PeerNetwork, now: UInt64) -> Int? { nil }
    func allow(account: String, now: UInt64) -> Int? { nil }
}
