extension Configuration {
    /// How many requests a route takes (`routes[].rate_limit[]`): a bucket that refills evenly.
    package struct RateLimit: Sendable, Hashable {
        /// Whose requests share a bucket.
        package enum Per: String, Sendable, Hashable, CaseIterable {
            /// A user's; the anonymous by their address.
            case uid
            /// Those of an IPv4 address, or of a /64 network of IPv6.
            case address
            /// All requests of the route.
            case route
        }

        /// The most limits of a route.
        package static let maximumCount = 8
        /// How many requests a limit may name.
        package static let counts = 1...1_000_000
        /// In what time.
        package static let times: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)

        /// Whose requests share a bucket (`per`); required.
        package var per: Per
        /// How many requests come back into the bucket (`requests`), 1 to 1,000,000; required...
        package var requests: Int
        /// ...in this time (`every`), 1 s to 24 h; required.
        package var every: Duration
        /// How many requests a full bucket holds (`burst`), 1 to 1,000,000. Default: `requests`.
        package var burst: Int

        /// A limit.
        package init(per: Per, requests: Int, every: Duration, burst: Int? = nil) {
            self.per = per
            self.requests = requests
            self.every = every
            self.burst = burst ?? requests
        }
    }
}
