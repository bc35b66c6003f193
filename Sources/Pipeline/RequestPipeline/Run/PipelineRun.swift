package import Authentication
package import GatewayCore
package import Revocation
import Routing

/// The state of one request in the pipeline: a value, which survives waiting for lookups.
package struct PipelineRun {
    /// The phase that is next, or that ended the run.
    package internal(set) var phase = DecisionPhase.origin
    /// The index of the route; -1: none, or not known yet.
    package internal(set) var route = -1
    /// The route; `nil` if it is not known yet.
    package internal(set) var plan: RoutePlan?
    /// The index of the request's origin in the CORS policy of the route.
    package internal(set) var corsOrigin = CORSPolicy.nowhere
    /// The verified identity; `nil` if the request is anonymous, or not authenticated yet.
    package internal(set) var identity: VerifiedTokenCache.Entry?
    /// When the head of the request was complete, in monotonic nanoseconds.
    package private(set) var began: UInt64
    /// Until when the request may wait for lookups, in monotonic nanoseconds; 0: it has not waited.
    package internal(set) var waitsUntil: UInt64 = 0
    /// The reason of a denial, or of a failure of the store; for the log, never for the client.
    package internal(set) var reason: String?
    /// The `allow` statement that decided, as `FILE:LINE`; for the log.
    package internal(set) var rule: String?
    /// Why the store could not say what the request needs; `nil` if it could.
    package internal(set) var storeFailure: StoreFailure?

    var target: Target = .none
    var credentials: FoundCredentials?
    var upgrade: UpgradeRequest?
    /// How many fetches of the key set had ended when the request began to wait for one; `nil`: it has not waited.
    var fetchesBeforeWait: UInt64?
    /// The introspection response that arrived for this request.
    var introspected: OpaqueTokenKey?
    /// The records that the store returned for this request.
    var records: StoreAnswer?
    /// The request was taken out of the buckets of its user.
    var isCountedForUser = false
    /// Why the owner of the identity cannot be known.
    var ownerFailure: StoreFailure?
    /// The account service was queried for this request and has no answer.
    var accountIsUnknown = false

    /// How long a request waits for lookups altogether, in nanoseconds.
    package static let waitLimit: UInt64 = 5_000_000_000

    /// A run at the first phase.
    package init(began: UInt64 = 0) {
        self.began = began
    }

    /// Begins a run that nothing was done with.
    package mutating func begin(at time: UInt64) { began = time }

    /// What a permitted request is for.
    enum Target {
        case none
        case upstream(RouteMatch)
        case account(AccountEndpoint)
    }

    /// The endpoint of the gateway that the request is for; `nil` if it is for a route.
    package var endpoint: AccountEndpoint? {
        if case .account(let endpoint) = target { endpoint } else { nil }
    }

    /// Notes that the request waits for a lookup: from the first wait on, its time is limited.
    package mutating func wait(since now: UInt64) {
        if waitsUntil == 0 { waitsUntil = now &+ Self.waitLimit }
    }

    /// The code of a denial once the credential has expired.
    package var expiredCode: DecisionCode { identity?.standing.kind.expiredCode ?? .idTokenExpired }
}
