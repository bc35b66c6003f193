package import Forwarding
package import GatewayConfiguration
package import GatewayCore

/// The settings of the listener for decisions in one configuration.
package final class DecisionSettings: Sendable {
    /// The peers whose description of a request is trusted.
    package let trust: TrustedProxies
    package let fields: DecisionFields
    package let permitting: PermittingResponse
    /// The fields of denials.
    package let denialFields: ResponseFieldPolicy?
    /// The maximum size of the head of a permitting response, in bytes.
    package let responseSize: Int
    /// The field of the Bearer token. `nil` if absent.
    package let credentialHeader: String?
    /// Where a token may be presented, in the order in which introspection tries them.
    package let places: [CredentialPlace]
    /// The services that may query tokens. `nil` without introspection.
    package let clients: IntrospectionClients?
    /// The fields of a denial of a service that is not authenticated.
    package let clientChallenge: ResponseFieldPolicy?
    /// The signer of introspection responses. `nil` without introspection or a key.
    package let signer: IntrospectionSigner?
    private let clientRate: TokenBucket
    private let clientBuckets = TokenBucketTable(groups: 64)

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - hygiene: The fields that a client must not set.
    ///   - headers: The identity fields.
    ///   - credentials: The field of the Bearer token, and the cookie. `nil` if absent.
    ///   - signer: The signer of introspection responses. `nil` without a key.
    package init(
        _ decisions: Configuration.Decisions, hygiene: HeaderHygiene, headers: Configuration.IdentityHeaders,
        credentials: (header: String?, cookie: String?), signer: IntrospectionSigner? = nil
    ) {
        trust = TrustedProxies(decisions.trust)
        fields = DecisionFields(
            prefix: headers.prefix, extra: headers.extra.map(\.name), managed: hygiene.managed,
            credentialHeader: credentials.header)
        permitting = PermittingResponse(
            fields, isCompact: decisions.identity == .compact, limit: decisions.responseSize)
        denialFields = ResponseFieldPolicy(cors: nil, set: [("Vary", fields.vary)], removed: [])
        responseSize = decisions.responseSize
        credentialHeader = credentials.header
        places =
            [credentials.header.map(CredentialPlace.header), credentials.cookie.map(CredentialPlace.cookie)]
            .compactMap(\.self)
        clients = decisions.introspection.map { IntrospectionClients($0.clients) }
        self.signer = clients == nil ? nil : signer
        clientChallenge = ResponseFieldPolicy(
            cors: nil, set: [("WWW-Authenticate", "Basic realm=\"introspection\"")], removed: [])
        let rate = decisions.introspection?.requestsPerSecond ?? 1
        clientRate = TokenBucket(requests: rate, every: 1_000_000_000, burst: rate)
    }

    /// Takes a request of a client from its rate. Returns the seconds until one is available. `nil` if it was taken.
    package func takeRequest(of client: String, now: UInt64) -> Int? {
        clientBuckets.take(clientBuckets.key { $0.combine(client) }, of: clientRate, now: now)
    }
}

/// The statuses of the endpoints for proxies.
package enum DecisionStatus {
    /// The status of an introspection request whose `Accept` cannot be satisfied.
    package static let notAcceptable: UInt16 = 406

    /// Returns the status of a denial. Proxies agree on these only: nginx answers 500 for all others, and Envoy
    /// relays other successes. An error of the client is never 503, because some proxies can be configured to continue
    /// without a decision when the service for decisions fails.
    package static func status(of code: DecisionCode) -> UInt16 {
        switch code.status {
        case 401: 401
        case 500...: 503
        default: 403
        }
    }
}
