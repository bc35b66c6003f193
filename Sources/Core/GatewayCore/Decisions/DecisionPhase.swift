/// The phases in which a request is decided. Their order here is the order in which they run, in every front end.
///
/// The access log, metrics and `explain` use the raw names.
package enum DecisionPhase: UInt8, CaseIterable, Sendable, Comparable {
    /// Client address and scheme, from the socket or a trusted proxy.
    case origin
    /// Methods that are never forwarded, preflights, and the endpoints of the gateway itself.
    case builtin
    /// Host, canonical path and method.
    case route
    /// Rate limits by address and route, and the announced size of the body.
    case limits
    /// Which credential the request presents, and where.
    case credential
    /// WebSocket and other upgrades.
    case upgrade
    /// Browser requests from other sites.
    case crossSite
    /// From a credential to a principal.
    case authenticate
    /// Rate limits by user.
    case userLimits
    /// Disabled users, revoked credentials and sessions, by the store.
    case revocation
    /// The user's Firebase account.
    case account
    /// The sign-in provider that the route requires.
    case provider
    /// The scopes of an access token that the route requires.
    case scopes
    /// How recently the user signed in (RFC 9470).
    case recency
    /// Whether the user signed in with a second factor.
    case secondFactor
    /// The rules of the file and of the route.
    case rules

    /// The name in logs and metrics.
    package var name: StaticString {
        switch self {
        case .origin: "origin"
        case .builtin: "builtin"
        case .route: "route"
        case .limits: "limits"
        case .credential: "credential"
        case .upgrade: "upgrade"
        case .crossSite: "cross_site"
        case .authenticate: "authenticate"
        case .userLimits: "user_limits"
        case .revocation: "revocation"
        case .account: "account"
        case .provider: "provider"
        case .scopes: "scopes"
        case .recency: "recency"
        case .secondFactor: "second_factor"
        case .rules: "rules"
        }
    }

    /// The phase that follows; `nil` after the last one.
    ///
    /// A run asks for it a dozen times. The raw values are those of the representation, without gaps; `init(rawValue:)` compares them one by one.
    @inlinable package var next: DecisionPhase? {
        if case .rules = self { return nil }
        return unsafeBitCast(unsafeBitCast(self, to: UInt8.self) &+ 1, to: DecisionPhase.self)
    }

    package static func < (left: DecisionPhase, right: DecisionPhase) -> Bool { left.rawValue < right.rawValue }
}
