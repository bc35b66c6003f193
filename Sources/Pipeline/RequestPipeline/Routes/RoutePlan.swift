package import Authentication
package import Authorization
package import GatewayCore

/// What happens to the requests of one route. An object, so that a request holds it by one reference.
package final class RoutePlan: Sendable {
    /// As it is written in the configuration; for logs and metrics.
    package let pattern: String
    /// Its place in the counters: that of its pattern.
    package let counterPlace: Int
    package let policy: RoutePolicy
    /// Its place among the snapshot's.
    package let upstream: Int
    /// How long the upstream may take to begin its answer, in nanoseconds.
    package let responseTimeout: UInt64
    /// The most bytes that a body may have; nil: no bound.
    package let bodyLimit: Int?
    /// Who is asked about opaque tokens, by its place among the snapshot's `opaqueProviders`; nil: nobody, or it is not clear whom.
    package let opaqueProvider: Int?
    /// Whether pages of other sites may call with a session cookie (`insecure_no_csrf`).
    package let allowsCrossSite: Bool
    /// What answers have besides what is in them; nil: nothing.
    package let additions: ResponseFieldPolicy?
    /// How many requests it takes; nil: any number.
    package let rates: RouteRates?
    /// `Host` for the upstream; nil: the client's.
    package let host: [UInt8]?
    /// The protocols that requests may change to; nil: none.
    package let upgrade: UpgradePlan?
    /// Where a credential may stand besides the header and the cookie; nil: nowhere.
    package let places: CredentialSources?
    /// How long its streams may go on.
    package let stream: StreamBounds

    package init(
        pattern: String, counterPlace: Int = -1, policy: RoutePolicy, upstream: Int, responseTimeout: UInt64,
        bodyLimit: Int?,
        opaqueProvider: Int? = nil, allowsCrossSite: Bool = false, additions: ResponseFieldPolicy? = nil,
        rates: RouteRates? = nil, host: [UInt8]? = nil, upgrade: UpgradePlan? = nil,
        places: CredentialSources? = nil, stream: StreamBounds = StreamBounds()
    ) {
        self.additions = additions
        self.rates = rates
        self.host = host
        self.upgrade = upgrade
        self.places = places
        self.stream = stream
        self.opaqueProvider = opaqueProvider
        self.allowsCrossSite = allowsCrossSite
        self.pattern = pattern
        self.counterPlace = counterPlace
        self.policy = policy
        self.upstream = upstream
        self.responseTimeout = responseTimeout
        self.bodyLimit = bodyLimit
    }
}
