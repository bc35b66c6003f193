package import Authentication
package import Authorization
package import GatewayCore

/// The handling of one route's requests. A class, so that a request holds it by one reference.
package final class RoutePlan: Sendable {
    /// The pattern as written in the configuration, for logs and metrics.
    package let pattern: String
    /// The index of the pattern's metrics.
    package let counterPlace: Int
    package let policy: RoutePolicy
    /// The index of the upstream in the snapshot. `nil` for a policy, which only the listener for decisions serves.
    package let upstream: Int?
    /// The timeout until the upstream's response begins, in nanoseconds.
    package let responseTimeout: UInt64
    /// The maximum size of a request body, in bytes. `nil` if there is no limit.
    package let bodyLimit: Int?
    /// The provider that introspects opaque tokens, as an index of the snapshot's `opaqueProviders`. `nil` for none or
    /// several.
    package let opaqueProvider: Int?
    /// Whether pages of other sites may send requests with a session cookie (`insecure_no_csrf`).
    package let allowsCrossSite: Bool
    /// The handling of App Check tokens. `nil` if they are not checked.
    package let appCheck: AppCheckPlan?
    /// Whether the upstream is a service of a third party. It receives no field that may carry a credential, whether or
    /// not the gateway reads it, and no field about the client, the page or the trace.
    package let isThirdParty: Bool
    /// The fields that are added to responses. `nil` if there are none.
    package let additions: ResponseFieldPolicy?
    /// The rate limits. `nil` if there are none.
    package let rates: RouteRates?
    /// The `Host` for the upstream. `nil` if the client's is kept.
    package let host: [UInt8]?
    /// The protocols to which requests may upgrade. `nil` if there are none.
    package let upgrade: UpgradePlan?
    /// The credential sources in addition to the header and the cookie. `nil` if there are none.
    package let places: CredentialSources?
    /// The limits of long-lived streams.
    package let stream: StreamBounds

    package init(
        pattern: String, counterPlace: Int = -1, policy: RoutePolicy, upstream: Int?, responseTimeout: UInt64,
        bodyLimit: Int?,
        opaqueProvider: Int? = nil, allowsCrossSite: Bool = false, appCheck: AppCheckPlan? = nil,
        isThirdParty: Bool = false, additions: ResponseFieldPolicy? = nil,
        rates: RouteRates? = nil, host: [UInt8]? = nil, upgrade: UpgradePlan? = nil,
        places: CredentialSources? = nil, stream: StreamBounds = StreamBounds()
    ) {
        self.appCheck = appCheck
        self.isThirdParty = isThirdParty
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
