import Authentication
package import Authorization
import GatewayCore
import HTTPWire
import Revocation
import Routing
import SecurityRules

// The phases that concern the user.
extension RequestPipeline {
    // MARK: - Authentication

    @inline(__always)
    func authenticate(
        _ run: inout PipelineRun, _ request: RequestView, _ context: Context, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard run.plan?.policy.authentication != RoutePolicy.Authentication.none else {
            observer.observe(.credentialNotNeeded)
            run.identity = nil
            return nil
        }
        if let end = authenticateOffer(&run, request, context, observer) { return end }
        return settings.restrictsFirebase ? checkFirebase(&run, request, observer) : nil
    }

    @inline(__always)
    private func authenticateOffer(
        _ run: inout PipelineRun, _ request: RequestView, _ context: Context, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        let offer = run.credentials?.offer(in: request.bytes) ?? .none
        observer.observe(.credential(offer))
        switch offer {
        case .none:
            run.identity = nil
            return nil
        case .unsupported: return .deny(Denial(.argumentError))
        case .ambiguous: return .deny(Denial(.ambiguousCredentials))
        case .text(let token):
            return token.withUnsafeBytes { authenticate($0, .idToken, &run, context, observer) }
        case .token(let range, let kind):
            return authenticate(range.bytes(in: request.bytes), kind, &run, context, observer)
        }
    }

    @inline(__always)
    private func authenticate(
        _ token: UnsafeRawBufferPointer, _ kind: CredentialKind, _ run: inout PipelineRun, _ context: Context,
        _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        if kind == .idToken, let opaqueAuthenticator, !CompactShape.seemsJWT(token) {
            return authenticate(opaque: token, opaqueAuthenticator, &run, context, observer)
        }
        let outcome = authenticator.authenticate(
            token, kind: kind, now: context.now, monotonic: context.monotonic, waitingSince: run.fetchesBeforeWait)
        switch outcome {
        case .verified(let entry):
            observer.observe(.authenticated(entry))
            run.identity = entry
            return nil
        case .refused(let failure): return refused(failure, &run, observer)
        case .unavailable(let retryAfter): return .deny(Denial(.keysUnavailable, retryAfter: retryAfter))
        case .awaitKeys(let set, let completedFetches):
            guard mayWait(run, context) else { return .deny(Denial(.keysUnavailable)) }
            if run.fetchesBeforeWait == nil { run.fetchesBeforeWait = completedFetches }
            return .await(.keySet(set))
        case .awaitOwner(let need): return awaitOwner(need, &run, context)
        }
    }

    @inline(never)
    private func authenticate(
        opaque token: UnsafeRawBufferPointer, _ authenticator: OpaqueAuthenticator, _ run: inout PipelineRun,
        _ context: Context, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        let outcome = authenticator.authenticate(
            token, provider: run.plan?.opaqueProvider, now: context.now, monotonic: context.monotonic,
            answered: run.introspected)
        switch outcome {
        case .verified(let entry):
            observer.observe(.authenticated(entry))
            run.identity = entry
            return nil
        case .refused(let failure): return refused(failure, &run, observer)
        case .awaitOwner(let need): return awaitOwner(need, &run, context)
        case .unavailable(let retryAfter): return .deny(Denial(.introspectionUnavailable, retryAfter: retryAfter))
        case .query(let key):
            guard mayWait(run, context) else { return .deny(Denial(.introspectionUnavailable)) }
            return .await(.opaqueToken(key, token: Array(token)))
        }
    }

    private func refused(
        _ failure: VerificationFailure, _ run: inout PipelineRun, _ observer: some PipelineObserver
    ) -> PhaseEnd {
        observer.observe(.notAuthenticated(failure))
        run.reason = failure.text
        return .deny(Denial(failure.code))
    }

    @inline(never)
    private func awaitOwner(_ need: OwnerNeed, _ run: inout PipelineRun, _ context: Context) -> PhaseEnd {
        switch need {
        case .unknown(let failure): return unknownOwner(failure.rawValue, &run)
        case .view:
            guard mayWait(run, context) else { return unknownOwner(StoreFailure.notLoaded.rawValue, &run) }
            return .await(.revocationView)
        case .owner(let question):
            if let failure = run.ownerFailure { return unknownOwner(failure.rawValue, &run) }
            guard mayWait(run, context) else { return unknownOwner("the lookup timed out", &run) }
            return .await(.owner(question))
        }
    }

    /// Denies the request. The user is never assumed, regardless of the route's policy for unreadable revocations.
    private func unknownOwner(_ why: String, _ run: inout PipelineRun) -> PhaseEnd {
        counters.add(to: .storeReadFailures)
        run.reason = "the owner of the identity is unknown: \(why)"
        return .deny(Denial(.storeUnavailable))
    }

    func mayWait(_ run: PipelineRun, _ context: Context) -> Bool {
        run.waitsUntil == 0 || context.monotonic < run.waitsUntil
    }

    // MARK: - Authorization

    @inline(__always)
    func authorize(
        _ run: inout PipelineRun, _ request: RequestView, _ context: Context, _ observer: some PipelineObserver
    ) -> PipelineStep {
        guard let plan = run.plan else { return .deny(Denial(.internalError)) }
        var decisionContext = DecisionContext(
            now: context.now, monotonic: context.monotonic, mayWait: mayWait(run, context), records: run.records)
        decisionContext.deniesOnFailure = run.deniesOnFailure
        if accounts != nil { decisionContext.account = accountView(run, plan, mayWait: decisionContext.mayWait) }
        let rules = plan.policy.rules == nil ? nil : beginRules(run, request, plan, context)
        let decision = decide(&run, plan, decisionContext, rules, observer)
        if let rules { endRules(rules, &run) }
        // A response of the store is used for one decision.
        run.records = nil
        switch consume decision {
        case .permit(let grant):
            if plan.appCheck?.consumes == true, let end = consumeAppToken(&run, request, context) { return end.step }
            return permit(grant, &run, request, plan, context)
        case .deny(let denial): return .deny(denial)
        case .awaitStore: return .await(.revocationView)
        case .queryStore(let question):
            // The store was already queried, even if it failed.
            guard decisionContext.records == nil, let identity = run.identity else {
                return .deny(Denial(.storeUnavailable))
            }
            return .await(.records(question, of: identity))
        case .lookUp:
            guard let principal = run.identity?.principal else { return .deny(Denial(.storeUnavailable)) }
            return .await(.account(principal, notBefore: oldestAccount(run, plan, known: principal.facts)))
        }
    }

    @inline(__always)
    private func decide(
        _ run: inout PipelineRun, _ plan: RoutePlan, _ decisionContext: DecisionContext,
        _ rules: RuleEvaluationContext?,
        _ observer: some PipelineObserver
    ) -> Decision {
        var failure: StoreFailure?
        var phase = DecisionPhase.revocation
        let decision: Decision
        if NoObserver.self == type(of: observer) {
            decision = authorizer.decide(
                plan.policy, identity: run.identity, in: decisionContext, rules: rules, phase: &phase
            ) { failure = $0 }
        } else {
            var findings: [AuthorizationFinding] = []
            decision = authorizer.decide(
                plan.policy, identity: run.identity, in: decisionContext, rules: rules, phase: &phase,
                observe: { findings.append($0) }, storeFailure: { failure = $0 })
            for finding in findings { observer.observe(.authorization(finding)) }
        }
        run.phase = phase
        // A failure in an earlier decision of this request was logged already.
        run.storeFailure = nil
        if let failure {
            counters.add(to: .storeReadFailures)
            if !decisionContext.allowsFailure(plan.policy) {
                run.reason = "store: \(failure.rawValue)"
            } else if case .permit = decision {
                run.reason = "store: \(failure.rawValue)"
                run.storeFailure = failure
                counters.add(to: .storeFailuresAllowed)
            }
        }
        return decision
    }

    private func permit(
        _ grant: Grant, _ run: inout PipelineRun, _ request: RequestView, _ plan: RoutePlan, _ context: Context
    ) -> PipelineStep {
        let credentials = run.credentials ?? settings.locator.find(in: request)
        let path = request.head.path.bytes(in: request.bytes)
        switch run.target {
        case .none: return .deny(Denial(.internalError))
        case .introspection:
            return .permit(
                Permit(
                    to: .none, identity: grant.identity, signedInAt: grant.signedInAt, plan: plan, path: path,
                    credentials: credentials))
        case .account(let endpoint):
            return .permit(
                Permit(
                    to: .account(endpoint), identity: grant.identity, signedInAt: grant.signedInAt, plan: plan,
                    path: path, credentials: credentials))
        case .upstream(let match):
            return .permit(
                Permit(
                    to: plan.upstream.map { .upstream($0) } ?? .none, identity: grant.identity, app: run.app?.app,
                    signedInAt: grant.signedInAt, plan: plan,
                    path: context.scratch.bytes(of: match.forwardedPath, in: path), credentials: credentials,
                    upgrade: run.upgrade))
        }
    }

    // MARK: - Firebase accounts

    private func accountView(_ run: PipelineRun, _ plan: RoutePlan, mayWait: Bool) -> AccountView {
        guard plan.policy.revocation != .off, let facts = run.identity?.facts, facts.isFirebase else {
            return .notQueried
        }
        let known = accounts?.table.find(facts.userKey)
        if let known, known.queriedAt >= oldestAccount(run, plan, known: facts) { return .known(known.state) }
        // After a failed lookup or the deadline, the known status decides. Another lookup could alternate endlessly
        // with a store query.
        return run.accountIsUnknown || !mayWait ? .failed(lastKnown: known?.state) : .notQueried
    }

    /// Returns the minimum time of an account status, in monotonic nanoseconds. A strict route needs one that was
    /// requested after the request arrived. Other routes accept one within `maxStaleness` before it. The value stays
    /// the same while the request waits, so that its own lookup suffices.
    private func oldestAccount(_ run: PipelineRun, _ plan: RoutePlan) -> UInt64 {
        if plan.policy.revocation == .strict { return run.began }
        return run.began > settings.maxStaleness ? run.began - settings.maxStaleness : 0
    }

    /// Returns the minimum time of an account status for a credential. A status without the identity that the
    /// credential depends on may be older than the identity's addition in Firebase, so that it is valid for a second.
    private func oldestAccount(_ run: PipelineRun, _ plan: RoutePlan, known facts: CredentialFacts) -> UInt64 {
        let oldest = oldestAccount(run, plan)
        guard let evidence = facts.evidence, accounts?.table.find(facts.userKey)?.state.lacks(evidence) ?? false else {
            return oldest
        }
        return max(oldest, run.began > Self.lackingAccountAge ? run.began - Self.lackingAccountAge : 0)
    }

    /// The maximum age of a status without the credential's identity, in nanoseconds.
    private static let lackingAccountAge: UInt64 = 1_000_000_000

    /// Returns whether an account status is recent enough for a waiting run.
    package func suffices(_ status: AccountStatus, for run: PipelineRun) -> Bool {
        guard let plan = run.plan else { return true }
        return status.queriedAt >= oldestAccount(run, plan)
    }

    // MARK: - Rules

    private func beginRules(
        _ run: PipelineRun, _ request: RequestView, _ plan: RoutePlan, _ context: Context
    ) -> RuleEvaluationContext? {
        guard let rules = rules?.idle(), case .upstream(let match) = run.target else { return nil }
        let path = context.scratch.bytes(of: match.path, in: request.head.path.bytes(in: request.bytes))
        rules.begin(request, path: path, of: run.app?.app, hiding: plan.places)
        return rules
    }

    private func endRules(_ rules: RuleEvaluationContext, _ run: inout PipelineRun) {
        if let finding = rules.finding {
            run.rule = finding.rule
            if let reason = finding.reason { run.reason = reason }
            if let counter = finding.counter { counters.add(to: counter) }
        }
        rules.end()
    }
}

/// The cache of Firebase accounts. A class, because the pipelines of one event loop share it across reloads.
package final class AccountMemory {
    package var table = AccountTable()

    package init() {}
}

extension RuleFinding {
    /// The counter of this outcome. `nil` if there is no final outcome yet.
    fileprivate var counter: WorkerCounters.Counter? {
        switch outcome {
        case .allowed: .rulesAllowed
        case .denied(let denial):
            denial.reason == .conditionFailed || denial.reason == .limit ? .rulesFailed : .rulesDenied
        case .needsRecentSignIn, .needsSecondFactor: .rulesSteppedUp
        case .needsSignInRecord, .signInRecordUnavailable: nil
        }
    }
}
