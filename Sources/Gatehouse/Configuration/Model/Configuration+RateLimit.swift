extension Configuration {
    /// How many requests a route takes (`routes[].rate_limit[]`): a bucket that refills evenly.
    public struct RateLimit: Sendable, Hashable {
        /// Whose requests share a bucket.
        public enum Per: String, Sendable, Hashable, CaseIterable {
            /// A user's; the anonymous by their address.
            case uid
            /// Those of an IPv4 address, or of a /64 network of IPv6.
            case address
            /// All requests of the route.
            case route
        }

        /// The most limits of a route.
        public static let maximumCount = 8
        /// How many requests a limit may name.
        public static let counts = 1...1_000_000
        /// In what time.
        public static let times: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)

        /// Whose requests share a bucket (`per`); required.
        public var per: Per
        /// How many requests come back into the bucket (`requests`), 1 to 1,000,000; required...
        public var requests: Int
        /// ...in this time (`every`), 1 s to 24 h; required.
        public var every: Duration
        /// How many requests a full bucket holds (`burst`), 1 to 1,000,000. Default: `requests`.
        public var burst: Int

        /// A limit.
        public init(per: Per, requests: Int, every: Duration, burst: Int? = nil) {
            self.per = per
            self.requests = requests
            self.every = every
            self.burst = burst ?? requests
        }
    }
}
