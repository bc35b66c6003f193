package import Authentication
package import Authorization
package import GatewayCore
import Revocation
package import Routing

/// The pipeline of one configuration on one event loop. It runs the phases of ``DecisionPhase`` in order.
///
/// A run performs no I/O. For an external result it returns `await`; the driver performs the lookup and resumes the run
/// at the phase that waited. The run then reads the time, the caches and the revocation view again. Origin, route,
/// limits, credential, upgrade and site depend on the request only and are kept.
package final class RequestPipeline {
    package let settings: PipelineSettings
    package let authenticator: Authenticator
    /// `nil` if no opaque tokens are accepted.
    package let opaqueAuthenticator: OpaqueAuthenticator?
    /// `nil` if no App Check tokens are accepted.
    package let appAuthenticator: AppCheckAuthenticator?
    package let authorizer: Authorizer
    /// `nil` if no route has rules.
    let rules: RuleEvaluationContext?
    /// The buckets of rate limits. `nil` if no route has limits, or they are not counted.
    let rates: RateTables?
    /// The cache of Firebase accounts. `nil` if they are not looked up.
    package let accounts: AccountMemory?
    let counters: WorkerCounters
    /// The number of App Check tokens to consume so far.
    var consumptions: UInt64 = 0

    package init(
        _ settings: PipelineSettings, authenticator: Authenticator, opaqueAuthenticator: OpaqueAuthenticator?,
        appAuthenticator: AppCheckAuthenticator? = nil, authorizer: Authorizer, rules: RuleEvaluationContext?,
        rates: RateTables?, accounts: AccountMemory?,
        counters: WorkerCounters
    ) {
        self.settings = settings
        self.authenticator = authenticator
        self.opaqueAuthenticator = opaqueAuthenticator
        self.appAuthenticator = appAuthenticator
        self.authorizer = authorizer
        self.rules = rules
        self.rates = rates
        self.accounts = accounts
        self.counters = counters
    }

    /// The inputs of a run apart from the request and its own state.
    package struct Context {
        /// Seconds since 1970, and monotonic nanoseconds.
        package let now: Int64
        package let monotonic: UInt64
        /// The memory for the paths of the request, until the step of the run is performed.
        package let scratch: PathScratch

        package init(now: Int64, monotonic: UInt64, scratch: PathScratch) {
            self.now = now
            self.monotonic = monotonic
            self.scratch = scratch
        }
    }

    /// Runs the phases from the next one, until one of them ends the run or waits.
    package func advance(
        _ run: inout PipelineRun, _ request: RequestView, _ origin: inout RequestOrigin, in context: Context
    ) -> PipelineStep {
        advance(&run, request, &origin, in: context, observer: NoObserver())
    }

    /// Runs the phases with an observer that receives the finding of each.
    @inline(__always)
    package func advance(
        _ run: inout PipelineRun, _ request: RequestView, _ origin: inout RequestOrigin, in context: Context,
        observer: some PipelineObserver
    ) -> PipelineStep {
        while true {
            let end: PhaseEnd?
            switch run.phase {
            case .origin: end = readOrigin(&run, request, &origin, observer)
            case .builtin: end = serveBuiltin(&run, request, origin.current, context, observer)
            case .route: end = findRoute(&run, request, context, observer)
            case .limits: end = checkLimits(&run, request, origin.current, context, observer)
            case .credential: end = findCredential(&run, request)
            case .upgrade: end = readUpgrade(&run, request, observer)
            case .crossSite: end = checkSite(&run, request, observer)
            case .authenticate: end = authenticate(&run, request, context, observer)
            case .userLimits: end = checkUserLimits(&run, origin.current, context, observer)
            case .appCheck: end = checkApp(&run, request, context, observer)
            case .revocation, .account, .provider, .scopes, .recency, .secondFactor, .rules:
                // Returns directly, because each copy of a step is expensive.
                return authorize(&run, request, context, observer)
            }
            if let end { return end.step }
            guard let next = run.phase.next else { return .deny(Denial(.internalError)) }
            run.phase = next
        }
    }

    /// Prepares a run to continue with the result of the lookup that it waited for.
    package func resume(_ run: inout PipelineRun, with result: LookupResult, now: Int64) {
        switch result {
        case .arrived: break
        case .unavailable: run.waitsUntil = 1
        case .records(let records): run.records = records
        case .opaqueToken(let key): run.introspected = key
        case .accountUnknown: run.accountIsUnknown = true
        case .ownerUnknown(let failure): run.ownerFailure = failure
        case .appToken(let use): run.appTokenUse = use
        }
        // A credential that expired during the lookup is rejected like any other expired one.
        if run.phase >= .userLimits, let identity = run.identity, !identity.facts.expiresAt.isAfter(now) {
            run.identity = nil
            run.phase = .authenticate
        } else if run.phase > .appCheck, let app = run.app, !app.expiresAt.isAfter(now) {
            run.phase = .appCheck
        }
    }

    /// Prepares a run for another attempt after the upstream did not accept the request. The identity is decided again;
    /// an App Check token is not consumed again.
    package func retry(_ run: inout PipelineRun) {
        run.phase = .authenticate
        run.records = nil
        run.introspected = nil
        run.ownerFailure = nil
    }
}
