/// The phases of a decision, in the order in which every front end runs them.
///
/// The access log, metrics and `explain` use the raw names.
public enum DecisionPhase: UInt8, CaseIterable, Sendable, Comparable {
    /// Client address and scheme, from the socket or a trusted proxy.
    case origin
    /// Methods that are never forwarded, preflights, and the endpoints of the gateway itself.
    case builtin
    /// Host, canonical path and method.
    case route
    /// Rate limits by address and route, and the announced size of the body.
    case limits
    /// The credential that the request presents, and its source.
    case credential
    /// WebSocket and other upgrades.
    case upgrade
    /// Browser requests from other sites.
    case crossSite
    /// From the credential to a principal.
    case authenticate
    /// Rate limits by user.
    case userLimits
    /// The App Check token, which proves the app that sends the request.
    case appCheck
    /// Disabled users, revoked credentials and sessions, as recorded in the store.
    case revocation
    /// The user's Firebase account.
    case account
    /// The sign-in provider that the route requires.
    case provider
    /// The scopes of an access token that the route requires.
    case scopes
    /// The age of the user's sign-in (RFC 9470).
    case recency
    /// The second factor of the user's sign-in.
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
        case .appCheck: "app_check"
        case .revocation: "revocation"
        case .account: "account"
        case .provider: "provider"
        case .scopes: "scopes"
        case .recency: "recency"
        case .secondFactor: "second_factor"
        case .rules: "rules"
        }
    }

    /// The next phase. `nil` after the last one.
    ///
    /// A run calls this about a dozen times. The raw values are the representation and have no gaps;
    /// `init(rawValue:)` would compare them one by one.
    @inlinable public var next: DecisionPhase? {
        if case .rules = self { return nil }
        return unsafeBitCast(unsafeBitCast(self, to: UInt8.self) &+ 1, to: DecisionPhase.self)
    }

    /// Returns whether the phase comes before the other one.
    public static func < (left: DecisionPhase, right: DecisionPhase) -> Bool { left.rawValue < right.rawValue }
}
