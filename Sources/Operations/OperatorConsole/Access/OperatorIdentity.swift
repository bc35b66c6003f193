package import GatewayCore
package import Revocation
package import SecurityRules

/// The identity of an operator who signed in at a provider.
package struct OperatorIdentity: Sendable {
    package let link: IdentityLink
    /// The address that the provider proves, normalized.
    package let address: String
    /// The `auth` variable of the sign-in, for conditions of the configuration.
    package let auth: RuleValue
    /// The account to which the identity was linked at the sign-in. `nil` without one.
    package let account: UserKey?
    /// The time of the sign-in in the store's order. A later revocation ends the session.
    package let signedInAt: UnixTime

    package init(
        _ link: IdentityLink, address: String, auth: RuleValue, account: UserKey?, signedInAt: UnixTime
    ) {
        self.link = link
        self.address = address
        self.auth = auth
        self.account = account
        self.signedInAt = signedInAt
    }
}
