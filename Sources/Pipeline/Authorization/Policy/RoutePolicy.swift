/// What one route asks of a request before it may pass.
package struct RoutePolicy: Sendable {
    /// Whether a credential is needed.
    package enum Authentication: Sendable {
        case required
        /// No credential: anonymous. An invalid one is still refused.
        case optional
        case none
    }

    /// Where the answer to "was it revoked?" comes from.
    package enum Revocation: Sendable {
        case replicated
        case strict
        case off
    }

    package var authentication: Authentication = .required
    /// The sign-in providers that may pass; empty: any.
    package var providers: [String] = []
    /// How old the sign-in may be, in seconds; nil: not asked.
    package var recentSignIn: Int64?
    /// Whether only an authentication counts as a recent sign-in.
    package var needsAuthentication = false
    package var secondFactor = false
    /// What an access token must have been given for; empty: not asked.
    package var scopes: [String] = []
    /// What rules say besides; nil: there are none. Last, after all that stands here.
    package var rules: RouteRules?
    package var revocation: Revocation = .replicated
    /// Whether a request passes when the store cannot tell; each time is logged and counted.
    package var allowsOnStoreFailure = false

    /// Whether there are conditions that only a signed-in user can fulfil.
    var asksOfUsers: Bool { !providers.isEmpty || recentSignIn != nil || secondFactor || !scopes.isEmpty }

    package init() {}
}
