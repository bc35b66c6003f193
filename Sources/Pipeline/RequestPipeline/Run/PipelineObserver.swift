package import Authentication
package import Authorization
package import GatewayCore
package import Routing

/// An observer of the finding of each phase of a run. The production path uses `NoObserver`, which costs nothing.
///
/// Passed by value: an `inout` value without storage has no address, and ThreadSanitizer reads it.
package protocol PipelineObserver {
    func observe(_ finding: PipelineFinding)
}

/// The observer of the production path.
package struct NoObserver: PipelineObserver {
    package init() {}

    @inline(__always)
    package func observe(_ finding: PipelineFinding) {}
}

/// The finding of a phase, for `explain`. A phase without anything to check reports nothing.
package enum PipelineFinding {
    case origin(PeerAddress)
    case invalidOrigin(OriginError)
    case methodIsNeverForwarded
    case preflight(Preflight, of: RoutePlan, isAllowed: Bool)
    case builtin(BuiltinEndpoint)
    case methodOfBuiltin(allowed: String)
    case routed(RouteMatch)
    case noRoute
    case noMethod(allowed: String)
    case invalidPath(PathError)
    case rateLimited(RouteRates.Limit)
    case bodyTooLong(UInt64, limit: Int)
    case credential(FoundCredentials.Offer)
    case credentialNotNeeded
    case upgrade(UpgradePlan.Outcome)
    case crossSite(CrossSiteCheck.Finding, isListedForCredentials: Bool)
    case crossSiteNotChecked
    case authenticated(VerifiedTokenCache.Entry?)
    case notAuthenticated(VerificationFailure)
    /// The check of the project and tenant that the route or the host requires. `nil` if the credential meets it.
    case firebase(VerificationFailure?)
    case appCheck(AppCheckFinding)
    case authorization(AuthorizationFinding)
}

/// The finding about a request's App Check token.
package enum AppCheckFinding {
    /// No token. `isFirebase` if the request was sent by a Firebase SDK.
    case absent(isFirebase: Bool)
    case refused(AppCheckFailure)
    case verified(AppCheckProof, isPermitted: Bool)
    /// The keys are unavailable, or not known yet.
    case noKeys
}

/// An endpoint of the gateway itself.
package enum BuiltinEndpoint {
    case keys
    case page
    /// A file of the sign-in page, by its index.
    case asset(Int)
    case account(AccountEndpoint)
}
