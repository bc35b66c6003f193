import Authentication
import GatewayCore
import HTTPWire

// The phase that concerns the app.
extension RequestPipeline {
    @inline(__always)
    func checkApp(
        _ run: inout PipelineRun, _ request: RequestView, _ context: Context, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let plan = run.plan, let appCheck = plan.appCheck else { return nil }
        return checkApp(appCheck, of: plan, &run, request, context, observer)
    }

    @inline(never)
    private func checkApp(
        _ appCheck: AppCheckPlan, of plan: RoutePlan, _ run: inout PipelineRun, _ request: RequestView,
        _ context: Context, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let appAuthenticator else { return .deny(Denial(.internalError)) }
        (run.app, run.appCheckReason) = (nil, nil)
        let outcome: AppCheckAuthenticator.Outcome
        switch AppCheckField.find(in: request) {
        case .absent(let isFirebase):
            observer.observe(.appCheck(.absent(isFirebase: isFirebase)))
            count(isFirebase ? .outdated : .unknown, of: plan, &run)
            return appCheck.enforces ? .deny(Denial(.missingAppToken)) : nil
        case .repeated: outcome = .refused(.repeated)
        case .token(let range):
            outcome = appAuthenticator.authenticate(
                range.bytes(in: request.bytes), now: context.now, monotonic: context.monotonic,
                waitingSince: run.appFetchesBeforeWait)
        }
        switch outcome {
        case .verified(let proof): return accept(proof, appCheck, of: plan, &run, observer)
        case .refused(let failure):
            observer.observe(.appCheck(.refused(failure)))
            count(.invalid, of: plan, &run)
            return appCheck.deny(Denial(failure.code), "App Check: \(failure.rawValue)", &run)
        case .unavailable(let retryAfter):
            observer.observe(.appCheck(.noKeys))
            return withoutKeys(appCheck, of: plan, &run, retryAfter: retryAfter)
        case .awaitKeys(let completedFetches):
            guard appCheck.enforces else {
                // A request that is permitted in any case does not wait.
                appAuthenticator.requestKeySet()
                observer.observe(.appCheck(.noKeys))
                return withoutKeys(appCheck, of: plan, &run)
            }
            guard mayWait(run, context) else { return withoutKeys(appCheck, of: plan, &run) }
            if run.appFetchesBeforeWait == nil { run.appFetchesBeforeWait = completedFetches }
            return .await(.keySet(appAuthenticator.verifier.keySet))
        }
    }

    private func accept(
        _ proof: AppCheckProof, _ appCheck: AppCheckPlan, of plan: RoutePlan, _ run: inout PipelineRun,
        _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        let isPermitted = appCheck.permits(proof.app)
        observer.observe(.appCheck(.verified(proof, isPermitted: isPermitted)))
        run.app = proof
        count(.verified, of: plan, &run)
        guard !isPermitted else { return nil }
        return appCheck.deny(Denial(.appNotAllowed), "App Check: the route does not permit the app", &run)
    }

    private func withoutKeys(
        _ appCheck: AppCheckPlan, of plan: RoutePlan, _ run: inout PipelineRun, retryAfter: Int? = nil
    ) -> PhaseEnd? {
        count(.unavailable, of: plan, &run)
        let denial = Denial(.appKeysUnavailable, retryAfter: retryAfter)
        return appCheck.deny(denial, "App Check: the keys are unavailable", &run)
    }

    /// Consumes the token of a request that is otherwise permitted, so that denials by earlier checks consume none. A
    /// denial belongs to the phase of the app.
    @inline(never)
    func consumeAppToken(_ run: inout PipelineRun, _ request: RequestView, _ context: Context) -> PhaseEnd? {
        let denial: Denial
        switch run.appTokenUse {
        case .first: return nil
        case .repeated:
            denial = Denial(.appTokenUsed)
            run.reason = "App Check: the token was consumed before"
        case .refused:
            denial = Denial(.invalidAppToken)
            run.reason = "App Check: Firebase rejected the token"
        case .unavailable(let reason, let retryAfter):
            denial = Denial(.appConsumptionUnavailable, retryAfter: retryAfter)
            run.reason = "App Check: the token could not be consumed: \(reason)"
        case nil:
            if mayWait(run, context), let app = run.app, case .token(let range) = AppCheckField.find(in: request) {
                consumptions &+= 1
                return .await(
                    .appToken(
                        consumptions, token: Array(range.bytes(in: request.bytes)), expiringAt: app.expiresAt))
            }
            denial = Denial(.appConsumptionUnavailable)
            run.reason = "App Check: the token was not consumed in time"
        }
        run.phase = .appCheck
        return .deny(denial)
    }

    /// Records the result, and counts it once for each request.
    private func count(_ result: AppCheckResult, of plan: RoutePlan, _ run: inout PipelineRun) {
        if run.appCheck == nil {
            counters.count(result, app: run.app?.app.counterPlace ?? -1, route: plan.counterPlace)
        }
        run.appCheck = result
    }
}

extension AppCheckPlan {
    /// Denies the request if the route enforces App Check. Otherwise, the reason is recorded apart from that of a
    /// denial by another phase.
    fileprivate func deny(_ denial: Denial, _ reason: String, _ run: inout PipelineRun) -> PhaseEnd? {
        guard enforces else {
            run.appCheckReason = reason
            return nil
        }
        run.reason = reason
        return .deny(denial)
    }
}
