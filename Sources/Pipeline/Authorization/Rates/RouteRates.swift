package import GatewayConfiguration
import GatewayCore
import JOSE
import TextCoding

/// The rate limits of a route. A class, so that a request holds it by one reference.
package final class RouteRates: Sendable {
    /// One rate limit.
    package struct Limit: Sendable {
        let shape: TokenBucket
        /// The identity of its buckets. It stays the same for the same limit of the same route after a reload.
        let identity: Int
        /// The limit of a bucket of all gateways. `nil` if each gateway has its own.
        let shared: SharedLimit?
        /// For the log.
        package let text: String
        /// Whether it applies after authentication.
        package let isOfUser: Bool
    }

    /// The limits that apply before authentication, so that a flood of invalid tokens is bounded too.
    let addresses: [Limit]
    let routes: [Limit]
    /// The limits that apply after authentication.
    package let users: [Limit]

    /// Creates the limits of a route. `nil` if it has none.
    package init?(_ route: Configuration.Route) {
        guard !route.rateLimits.isEmpty else { return nil }
        let name = ([route.path] + route.hosts + ["-"] + route.methods).joined(separator: "\u{0}")
        func limits(_ per: Configuration.RateLimit.Per) -> [Limit] {
            route.rateLimits.filter { $0.per == per }.map { Limit($0, of: name) }
        }
        addresses = limits(.address)
        routes = limits(.route)
        users = limits(.uid)
    }
}

extension RouteRates.Limit {
    fileprivate init(_ limit: Configuration.RateLimit, of route: String) {
        shape = TokenBucket(requests: limit.requests, every: limit.every.nanoseconds, burst: limit.burst)
        var hasher = Hasher()
        hasher.combine(route)
        hasher.combine(limit)
        isOfUser = limit.per == .uid
        identity = hasher.finalize()
        let rate = "\(limit.requests) per \(limit.per.rawValue) in \(DurationText.write(limit.every))"
        let isShared = limit.scope == .fleet
        text = "rate: " + rate + (isShared ? " at all gateways" : "")
        shared =
            isShared
            ? Self.name("\(route)\u{0}\(rate)\u{0}\(limit.burst)").map { [shape] in .init(shape, name: $0) } : nil
    }

    /// Returns the name of a shared limit, which is equal on all gateways: 64 bits of a SHA-256. `nil` if libcrypto
    /// fails.
    private static func name(_ text: String) -> String? {
        SHA256Hasher()?.hash(Array(text.utf8)).map { HexDigits.text(of: Array($0.bytes.prefix(8))) }
    }
}
