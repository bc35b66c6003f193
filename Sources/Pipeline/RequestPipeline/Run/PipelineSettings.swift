package import Authentication
package import Authorization
package import GatewayCore
import HTTPWire
package import Routing

/// The immutable pipeline settings of one configuration, shared by the pipelines of all event loops.
package final class PipelineSettings: Sendable {
    /// The trusted proxies.
    package let proxies: TrustedProxies
    package let routes: RouteTable
    /// The route plans by route index.
    package let plans: [RoutePlan]
    /// The credential sources of every route.
    package let locator: CredentialLocator
    package let crossSite: CrossSiteCheck
    /// The endpoints of the gateway itself. `nil` if there are none.
    package let builtin: BuiltinEndpoints?
    /// Whether any route responds to preflights.
    package let handlesPreflights: Bool
    /// The maximum age of the revocation view, in nanoseconds.
    package let maxStaleness: UInt64
    /// The Firebase credentials that requests with a host may have. `nil` if no host restricts them.
    let firebaseHosts: FirebaseHosts?
    /// Whether any host or route restricts Firebase credentials.
    let restrictsFirebase: Bool

    package init(
        proxies: TrustedProxies, routes: RouteTable, plans: [RoutePlan], locator: CredentialLocator,
        crossSite: CrossSiteCheck, builtin: BuiltinEndpoints?, maxStaleness: UInt64,
        firebaseHosts: FirebaseHosts? = nil
    ) {
        self.proxies = proxies
        self.routes = routes
        self.plans = plans
        self.locator = locator
        self.crossSite = crossSite
        self.builtin = builtin
        self.maxStaleness = maxStaleness
        self.firebaseHosts = firebaseHosts
        restrictsFirebase = firebaseHosts != nil || plans.contains { $0.policy.firebase != nil }
        handlesPreflights =
            plans.contains { $0.additions?.cors != nil }
            || builtin?.calls.contains { $0.plan.additions?.cors != nil } == true
    }
}

extension PipelineSettings {
    /// Returns the route or account endpoint that a preflight concerns.
    package func plan(
        requestedBy preflight: Preflight, in request: RequestView, scratch: PathScratch
    ) -> (plan: RoutePlan, route: Int)? {
        let bytes = request.bytes
        let path = request.head.path.bytes(in: bytes)
        if let builtin, BuiltinEndpoints.mayHold(path) {
            let method = String(decoding: preflight.method.bytes(in: bytes), as: UTF8.self)
            let call = builtin.calls.first { call in
                call.matches(path) && call.endpoint.listedMethods.contains { $0.utf8.elementsEqual(method.utf8) }
            }
            return call.map { ($0.plan, -1) }
        }
        let outcome = routes.route(
            host: request.head.host.bytes(in: bytes), path: path, method: preflight.method.bytes(in: bytes),
            scratch: scratch)
        guard case .route(let match) = outcome else { return nil }
        return (plans[match.index], match.index)
    }
}
