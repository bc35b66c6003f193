package import Authentication
package import GatewayCore

/// The decision to forward a request to one upstream, or to serve it by one endpoint of the gateway.
///
/// Only a pipeline run that ended in a permit creates one: its initializer is internal to this module. Forwarding
/// renders no request without it.
package struct Permit {
    /// The destination of the request.
    package enum Destination {
        /// The index of an upstream of the snapshot.
        case upstream(Int)
        /// No destination: the route is a policy, or only the credential was decided.
        case none
        /// An account endpoint of the gateway.
        case account(AccountEndpoint)
    }

    package let destination: Destination
    /// The verified identity. `nil` if the request is anonymous.
    package let identity: VerifiedTokenCache.Entry?
    /// The verified app. `nil` without a verified App Check token.
    package let app: AppCheckApp?
    /// A sign-in later than the token's `auth_time` that this decision read from the store.
    package let signedInAt: UnixTime?
    /// The route of the request.
    package let plan: RoutePlan
    /// The canonical path to forward. The memory is valid until the run's scratch memory is released.
    package let path: UnsafeRawBufferPointer
    /// The credentials of the request, which are removed before it is forwarded.
    package let credentials: FoundCredentials
    /// The requested protocol of an upgrade. `nil` for an ordinary request.
    package let upgrade: UpgradeRequest?

    init(
        to destination: Destination, identity: VerifiedTokenCache.Entry?, app: AppCheckApp? = nil,
        signedInAt: UnixTime?, plan: RoutePlan,
        path: UnsafeRawBufferPointer, credentials: FoundCredentials, upgrade: UpgradeRequest? = nil
    ) {
        self.destination = destination
        self.identity = identity
        self.app = app
        self.signedInAt = signedInAt
        self.plan = plan
        self.path = path
        self.credentials = credentials
        self.upgrade = upgrade
    }
}
