extension Configuration {
    /// A rate limit of a route (`routes[].rate_limit[]`): a token bucket.
    package struct RateLimit: Sendable, Hashable {
        /// The key of a bucket.
        package enum Per: String, Sendable, Hashable, CaseIterable {
            /// One bucket for each user; for each address if the request is anonymous.
            case uid
            /// One bucket for each IPv4 address or IPv6 /64 network.
            case address
            /// One bucket for the route.
            case route
        }

        /// The gateways that share a bucket.
        package enum Scope: String, Sendable, Hashable, CaseIterable {
            /// Each gateway has its own.
            case gateway
            /// All gateways with the same Redis store.
            case fleet
        }

        /// The maximum number of limits of a route.
        package static let maximumCount = 8
        /// The bounds of `requests` and `burst`.
        package static let counts = 1...1_000_000
        /// The bounds of `every`.
        package static let times: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)

        /// The key of a bucket (`per`). Required.
        package var per: Per
        /// The number of requests that are refilled in the time `every` (`requests`), 1 to 1,000,000. Required.
        package var requests: Int
        /// The time in which `requests` are refilled (`every`), 1 s to 24 h. Required.
        package var every: Duration
        /// The capacity of the bucket (`burst`), 1 to 1,000,000. Default: `requests`.
        package var burst: Int
        /// The gateways that share a bucket (`scope`). Default: `gateway`.
        package var scope = Scope.gateway

        /// Creates a limit.
        package init(per: Per, requests: Int, every: Duration, burst: Int? = nil) {
            self.per = per
            self.requests = requests
            self.every = every
            self.burst = burst ?? requests
        }
    }
}

extension Configuration.RateLimit {
    /// Reads a list of limits.
    static func list(_ value: ConfigurationValue) -> [Self]? {
        guard let elements = value.sequence().flatMap({ value.bounded($0, maximumCount, of: "limits") }) else {
            return nil
        }
        let limits = elements.compactMap { element in element.mapping(.rateLimit).flatMap(Self.read) }
        guard Set(limits).count == limits.count else {
            return value.fail("\(value.name) has a duplicate limit", "remove one of them")
        }
        return limits.count == elements.count ? limits : nil
    }

    private static func read(_ mapping: MappingReader) -> Self? {
        let per: Per? = mapping.required("per", "write per: uid, address or route").flatMap { $0.choice() }
        let requests = mapping.required("requests", "add the number of requests, as in requests: 100").flatMap {
            $0.integer(in: counts)
        }
        let every = mapping.required("every", "add the period, as in every: 1m").flatMap { $0.duration(in: times) }
        guard let per, let requests, let every else { return nil }
        var limit = Self(per: per, requests: requests, every: every)
        mapping.set(&limit.burst, "burst") { $0.integer(in: counts) }
        mapping.set(&limit.scope, "scope") { $0.choice() }
        return limit
    }
}
