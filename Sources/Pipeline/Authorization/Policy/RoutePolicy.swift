package import Authentication

/// The requirements of one route.
package struct RoutePolicy: Sendable {
    /// Whether a credential is required.
    package enum Authentication: Sendable {
        case required
        /// A request without a credential is anonymous. An invalid credential is still rejected.
        case optional
        case none
    }

    /// The source of revocations.
    package enum Revocation: Sendable {
        case replicated
        case strict
        case off
    }

    package var authentication: Authentication = .required
    /// The Firebase project and tenant that a credential must have. `nil` if they are not restricted.
    package var firebase: FirebaseRequirement?
    /// The accepted sign-in providers. Empty if any is accepted.
    package var providers: [String] = []
    /// The maximum age of the sign-in, in seconds. `nil` if it is not checked.
    package var recentSignIn: Int64?
    /// Whether only an authentication is accepted as a recent sign-in.
    package var needsAuthentication = false
    package var secondFactor = false
    /// The required scopes of an access token. Empty if none are required.
    package var scopes: [String] = []
    /// The rules, evaluated after all other requirements. `nil` without rules.
    package var rules: RouteRules?
    package var revocation: Revocation = .replicated
    /// Whether requests are permitted while the store fails. Each one is logged and counted.
    package var allowsOnStoreFailure = false

    /// Whether there are requirements that only a signed-in user can meet.
    var requiresUser: Bool { !providers.isEmpty || recentSignIn != nil || secondFactor || !scopes.isEmpty }

    package init() {}
}
