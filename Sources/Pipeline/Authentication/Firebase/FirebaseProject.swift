import GatewayCore
import Revocation

/// A Firebase project whose credentials are accepted.
package struct FirebaseProject: Sendable, Equatable {
    /// The project ID: the exact `aud`.
    package let id: String
    /// The tenants whose credentials are accepted.
    package let tenant: FirebaseVerifier.Tenant
    /// Whether user keys include the project. Those of the first project do not, so that further projects can be added
    /// and removed without renaming its users.
    package let isNamed: Bool

    /// Returns the complete key of a user. A key with the project always includes the tenant, so that the accepted
    /// tenants of the project can change without renaming its users.
    func user(uid: String, claimed: String?) -> UserKey {
        isNamed ? UserKey(uid: uid, tenant: claimed, project: id) : tenant.user(uid: uid, claimed: claimed)
    }
}
