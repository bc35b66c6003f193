package import GatewayCore
package import Revocation

/// A rate limit whose buckets all gateways share.
package final class SharedLimit: Sendable {
    /// The number of gateways whose debts are completely paid back.
    private static let gateways: UInt64 = 256

    let bucket: TokenBucket
    /// The maximum number of requests that a gateway accepts before the shared bucket is charged: a tenth of the
    /// burst, at least 1.
    let batch: Int
    /// The name of the limit, equal on all gateways: visible ASCII without braces.
    let name: String
    /// The maximum time until a bucket is full, in nanoseconds.
    let longest: UInt64

    init(_ bucket: TokenBucket, name: String) {
        self.bucket = bucket
        self.name = name
        batch = max(bucket.burst / 10, 1)
        let requests = UInt64(bucket.burst) + Self.gateways * UInt64(batch)
        let (product, overflows) = bucket.interval.multipliedReportingOverflow(by: requests)
        longest = overflows ? TokenBucket.longestTolerance : min(product, TokenBucket.longestTolerance)
    }

    /// The requests that share a bucket.
    package enum Subject: Sendable, Hashable {
        case route
        case network(PeerNetwork)
        case user(StoreKey)

        /// The part of the bucket's name. It has no user's name in clear text.
        fileprivate var name: String {
            switch self {
            case .route: "route"
            case .network(.version4(let address)): "4" + Self.hexadecimal(UInt64(address.bigEndian), digits: 8)
            case .network(.version6(let network)): "6" + Self.hexadecimal(network.bigEndian, digits: 16)
            case .network(.unknown): "none"
            case .user(let key):
                "u" + Self.hexadecimal(key.high, digits: 16) + Self.hexadecimal(key.low, digits: 16)
            }
        }

        private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
        }
    }

    /// Returns the charge of a number of requests.
    func charge(_ requests: Int, of subject: Subject) -> RateCharge {
        RateCharge(
            name: "\(name):\(subject.name)", requests: requests, interval: bucket.interval, longest: longest)
    }
}
