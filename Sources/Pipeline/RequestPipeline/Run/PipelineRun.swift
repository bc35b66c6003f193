package import Authentication
package import GatewayCore
package import Revocation
import Routing

/// The state of one request in the pipeline: a value that survives waiting for lookups.
package struct PipelineRun {
    /// The next phase, or the one that ended the run.
    package internal(set) var phase = DecisionPhase.origin
    /// The index of the route. -1 if no route matches or it is not known yet.
    package internal(set) var route = -1
    /// The route. `nil` if it is not known yet.
    package internal(set) var plan: RoutePlan?
    /// The index of the request's origin in the CORS policy of the route.
    package internal(set) var corsOrigin = CORSPolicy.nowhere
    /// The verified identity. `nil` if the request is anonymous, or not authenticated yet.
    package internal(set) var identity: VerifiedTokenCache.Entry?
    /// The verified app. `nil` without a verified App Check token, or if the route does not check it.
    package internal(set) var app: AppCheckProof?
    /// The result of the App Check token. `nil` if the route does not check it, or it is not known yet.
    package internal(set) var appCheck: AppCheckResult?
    /// When the head of the request was complete, in monotonic nanoseconds.
    package private(set) var began: UInt64
    /// The deadline of all lookups, in monotonic nanoseconds. 0 if the request has not waited.
    package internal(set) var waitsUntil: UInt64 = 0
    /// The reason of a denial or of a store failure. It is logged and never sent to the client.
    package internal(set) var reason: String?
    /// The reason for which a route that enforces App Check would have denied the request. `nil` without one.
    package internal(set) var appCheckReason: String?
    /// The `allow` statement that decided, as `FILE:LINE`; for the log.
    package internal(set) var rule: String?
    /// The store failure despite which the last decision permitted the request. `nil` without one.
    package internal(set) var storeFailure: StoreFailure?

    /// The purpose of the run. The default is forwarding.
    package var purpose = Purpose.forwarding
    /// Whether a failed lookup denies the request even if its route allows it: the lookup may not have begun.
    package var deniesOnFailure = false
    var target: Target = .none
    var credentials: FoundCredentials?
    var upgrade: UpgradeRequest?
    /// The number of completed fetches of the key set when the request began to wait for one. `nil` if it has not
    /// waited.
    var fetchesBeforeWait: UInt64?
    /// The same number of the key set of App Check.
    var appFetchesBeforeWait: UInt64?
    /// The result of consuming the App Check token. `nil` before it. A second attempt at an upstream keeps it, so that
    /// one request consumes its token once.
    var appTokenUse: AppTokenUse?
    /// The introspection response that arrived for this request.
    var introspected: OpaqueTokenKey?
    /// The records that the store returned for this request.
    var records: StoreRecords?
    /// The numbers of rate limits that accepted the request: of its address and route, and of its user.
    var countedLimits = 0
    var countedUserLimits = 0
    /// The failure of the owner lookup.
    var ownerFailure: StoreFailure?
    /// Whether the account lookup for this request failed.
    var accountIsUnknown = false

    /// The maximum total time that a request waits for lookups, in nanoseconds.
    package static let waitLimit: UInt64 = 5_000_000_000

    /// Creates a run at the first phase.
    package init(began: UInt64 = 0) {
        self.began = began
    }

    /// Starts a run that has not advanced yet.
    package mutating func begin(at time: UInt64) { began = time }

    /// The purpose of a run.
    package enum Purpose: Sendable {
        /// The request is forwarded. Routes without an upstream do not exist.
        case forwarding
        /// Only the decision is used. Routes without an upstream are policies.
        case decision
        /// The decision of either purpose is explained. Routes without an upstream are policies.
        case explanation
    }

    /// Starts a run that decides about a credential only. It begins with the phase `credential`.
    package mutating func begin(introspectionWith plan: RoutePlan) {
        self.plan = plan
        target = .introspection
        phase = .credential
    }

    /// The destination of a request before its decision.
    enum Target {
        case none
        case introspection
        case upstream(RouteMatch)
        case account(AccountEndpoint)
    }

    /// The account endpoint of the request. `nil` if the request is for a route.
    package var endpoint: AccountEndpoint? {
        if case .account(let endpoint) = target { endpoint } else { nil }
    }

    /// Records that the request waits for a lookup. The first wait sets the deadline.
    package mutating func wait(since now: UInt64) {
        if waitsUntil == 0 { waitsUntil = now &+ Self.waitLimit }
    }

    /// The app whose token the permission depends on. `nil` if the route does not enforce App Check.
    private var enforcedApp: AppCheckProof? { plan?.appCheck?.enforces == true ? app : nil }

    /// Whether the permission depends on a credential that expires or can be revoked.
    package var hasCredential: Bool { identity != nil || enforcedApp != nil }

    /// When the permission expires: with the first of the credentials that it depends on. `nil` without any.
    package var permittedUntil: UnixTime? {
        guard let user = identity?.facts.expiresAt else { return enforcedApp?.expiresAt }
        guard let app = enforcedApp?.expiresAt else { return user }
        return min(user, app)
    }

    /// The code of a denial after the permission expired.
    package var expiredCode: DecisionCode {
        if let app = enforcedApp, app.expiresAt == permittedUntil { return .appTokenExpired }
        return identity?.facts.kind.expiredCode ?? .idTokenExpired
    }
}
