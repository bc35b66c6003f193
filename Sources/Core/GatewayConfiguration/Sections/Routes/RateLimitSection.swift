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

extension Configuration.RateLimit {
    /// A list of limits.
    static func list(_ value: ConfigurationValue) -> [Self]? {
        guard let elements = value.sequence().flatMap({ value.bounded($0, maximumCount, of: "limits") }) else {
            return nil
        }
        let limits = elements.compactMap { element in element.mapping(.rateLimit).flatMap(Self.read) }
        guard Set(limits).count == limits.count else {
            return value.fail("\(value.name) has a limit twice", "keep one of them")
        }
        return limits.count == elements.count ? limits : nil
    }

    private static func read(_ mapping: MappingReader) -> Self? {
        let per: Per? = mapping.required("per", "write per: uid, address or route").flatMap { $0.choice() }
        let requests = mapping.required("requests", "say how many, as in requests: 100").flatMap {
            $0.integer(in: counts)
        }
        let every = mapping.required("every", "say in what time, as in every: 1m").flatMap { $0.duration(in: times) }
        guard let per, let requests, let every else { return nil }
        var limit = Self(per: per, requests: requests, every: every)
        mapping.set(&limit.burst, "burst") { $0.integer(in: counts) }
        return limit
    }
}
