package import Authentication
package import GatewayCore
package import Revocation

/// The authorization of a request whose credential is verified.
///
/// Order: disabled, revoked, sign-in provider, scopes, recent sign-in, second factor, rules. No result is cached: each
/// request is decided individually.
package struct Authorizer {
    package let store: StoreReader
    /// Whether the view contains all acknowledged changes, so that querying the store adds nothing.
    package var viewIsAuthoritative = true
    package let clockSkew: Int64
    /// The maximum age of the store's view, in nanoseconds.
    package let maxStaleness: UInt64
    /// Whether Firebase users are also looked up at Identity Toolkit.
    package var queriesFirebase = false
    /// Whether the view applies in addition to the store's records.
    package var includesView = true
    /// The parameters `acr_values` and `claims` of a challenge, by the user's sign-in provider.
    package var acrValues: [String: String] = [:]

    package init(
        store: StoreReader, viewIsAuthoritative: Bool = true, clockSkew: Int64, maxStaleness: UInt64,
        queriesFirebase: Bool = false, includesView: Bool = true, acrValues: [String: String] = [:]
    ) {
        self.store = store
        self.viewIsAuthoritative = viewIsAuthoritative
        self.clockSkew = clockSkew
        self.maxStaleness = maxStaleness
        self.queriesFirebase = queriesFirebase
        self.includesView = includesView
        self.acrValues = acrValues
    }

    /// Runs the checks of an identity.
    ///
    /// - Parameters:
    ///   - rules: The context in which the request was begun. Without it, a policy with rules denies.
    ///   - storeFailure: Called when a request is permitted or denied because the store failed.
    package func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, in context: DecisionContext,
        rules: RuleEvaluationContext? = nil,
        storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        var phase = DecisionPhase.revocation
        return decide(policy, identity: identity, in: context, rules: rules, phase: &phase, storeFailure: storeFailure)
    }

    /// Runs the checks and stores the deciding phase in `phase`.
    package func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, in context: DecisionContext,
        rules: RuleEvaluationContext?,
        phase: inout DecisionPhase, storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        run(
            policy, identity, in: context, rules, &phase, observe: Unobserved(), storeFailure)
    }

    /// Runs the checks and passes the finding of each to `observe`.
    package func decide(
        _ policy: RoutePolicy, identity: VerifiedTokenCache.Entry?, in context: DecisionContext,
        rules: RuleEvaluationContext?,
        phase: inout DecisionPhase, observe: (AuthorizationFinding) -> Void, storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        withoutActuallyEscaping(observe) { observe in
            run(policy, identity, in: context, rules, &phase, observe: Observed(body: observe), storeFailure)
        }
    }

    /// Runs the phases from `revocation` to `rules` in order.
    @inline(__always)
    private func run(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, in context: DecisionContext,
        _ rules: RuleEvaluationContext?,
        _ phase: inout DecisionPhase, observe: some AuthorizationObserver, _ storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        guard let identity else {
            guard policy.authentication != .required, !policy.requiresUser else {
                phase = .authenticate
                return .deny(Denial(.missingCredential))
            }
            phase = .rules
            return decideRules(policy, nil, in: context, rules, signedInAt: nil, storeFailure)
        }
        var signedInAt: UnixTime?
        phase = .revocation
        while true {
            let decision: Decision?
            switch phase {
            case .revocation: decision = checkRevocation(policy, identity.facts, in: context, observe, storeFailure)
            case .account: decision = checkAccount(policy, identity.facts, in: context, observe, storeFailure)
            case .provider: decision = checkProvider(policy, identity, observe)
            case .scopes: decision = checkScopes(policy, identity, observe)
            case .recency:
                decision = checkRecency(policy, identity.facts, in: context, &signedInAt, observe, storeFailure)
            case .secondFactor: decision = checkSecondFactor(policy, identity, observe)
            default: return decideRules(policy, identity, in: context, rules, signedInAt: signedInAt, storeFailure)
            }
            if let decision { return decision }
            phase = phase.next ?? .rules
        }
    }

    // MARK: - Checks

    @inline(__always)
    private func checkRevocation(
        _ policy: RoutePolicy, _ facts: CredentialFacts, in context: DecisionContext,
        _ observe: some AuthorizationObserver,
        _ storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        let result = revocation(policy, facts, in: context)
        observe.found(.revocation(result))
        switch result {
        case .passes: return nil
        case .revoked(let code): return .deny(Denial(code))
        case .loading: return .awaitStore
        case .notQueried: return .queryStore(Self.storeQuery(of: facts))
        case .unknown(let failure):
            // A known revocation applies even if no newer result is available.
            if policy.allowsOnStoreFailure, case .revoked(let code) = lastKnown(facts, in: context) {
                return .deny(Denial(code))
            }
            storeFailure(failure)
            return context.allowsFailure(policy) ? nil : .deny(Denial(.storeUnavailable))
        }
    }

    @inline(__always)
    private func checkAccount(
        _ policy: RoutePolicy, _ facts: CredentialFacts, in context: DecisionContext,
        _ observe: some AuthorizationObserver,
        _ storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        guard queriesFirebase else {
            // A credential that depends on Firebase is not valid if Firebase is not queried any more.
            guard facts.evidence != nil, policy.revocation != .off else { return nil }
            let denial = Decision.deny(Denial(facts.kind.revokedCode))
            observe.found(.account(denial))
            return denial
        }
        let decision = decideAccount(policy, facts, in: context, storeFailure: storeFailure)
        observe.found(.account(decision))
        return decision
    }

    package func providerPasses(_ policy: RoutePolicy, _ principal: Principal) -> Bool {
        guard !policy.providers.isEmpty else { return true }
        guard let provider = principal.signInProvider else { return false }
        return policy.providers.contains { $0.utf8.elementsEqual(provider.utf8) }
    }

    /// Returns whether the principal has all scopes, compared byte for byte (RFC 6749 section 3.3).
    package func hasScopes(_ policy: RoutePolicy, _ principal: Principal) -> Bool {
        policy.scopes.allSatisfy { wanted in principal.scopes.contains { $0.utf8.elementsEqual(wanted.utf8) } }
    }

    @inline(__always)
    private func checkProvider(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, _ observe: some AuthorizationObserver
    ) -> Decision? {
        // Most routes list no providers and need no access to the principal.
        guard !policy.providers.isEmpty else { return nil }
        let isPermitted = providerPasses(policy, identity.principal)
        observe.found(.provider(isPermitted: isPermitted))
        return isPermitted ? nil : .deny(Denial(.permissionDenied))
    }

    @inline(__always)
    private func checkScopes(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, _ observe: some AuthorizationObserver
    ) -> Decision? {
        guard !policy.scopes.isEmpty else { return nil }
        let isPermitted = hasScopes(policy, identity.principal)
        observe.found(.scopes(isPermitted: isPermitted))
        guard !isPermitted else { return nil }
        let scopes = "scope=\"\(policy.scopes.joined(separator: " "))\""
        return .deny(Denial(.insufficientScope, challengeParameter: scopes))
    }

    @inline(__always)
    private func checkRecency(
        _ policy: RoutePolicy, _ facts: CredentialFacts, in context: DecisionContext, _ signedInAt: inout UnixTime?,
        _ observe: some AuthorizationObserver, _ storeFailure: (StoreFailure) -> Void
    ) -> Decision? {
        guard let maxAge = policy.recentSignIn else { return nil }
        let result = recency(maxAge, policy, facts, in: context)
        observe.found(.recency(result))
        switch result {
        case .recent(let recorded):
            signedInAt = recorded
            return nil
        case .ended where policy.revocation != .off: return .deny(Denial(facts.kind.revokedCode))
        case .tooOld, .ended: return .deny(Denial(.requiresRecentLogin, maxAge: maxAge))
        case .loading: return .awaitStore
        case .notQueried: return .queryStore(.session)
        case .unknown(let failure):
            // Recency is never assumed, regardless of the route's policy for unreadable revocations.
            storeFailure(failure)
            return .deny(Denial(.storeUnavailable))
        }
    }

    @inline(__always)
    private func checkSecondFactor(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry, _ observe: some AuthorizationObserver
    ) -> Decision? {
        guard policy.secondFactor else { return nil }
        let isPermitted = identity.facts.hasSecondFactor
        observe.found(.secondFactor(isPermitted: isPermitted))
        return isPermitted ? nil : .deny(needsSecondFactor(identity))
    }

    func needsSecondFactor(_ identity: VerifiedTokenCache.Entry) -> Denial {
        let acrValues = self.acrValues[identity.principal.signInProvider ?? ""]
        return Denial(.secondFactorRequired, challengeParameter: acrValues)
    }

    /// Runs the last phase: a request that passes the rules is permitted. `signedInAt` is the recorded sign-in that
    /// satisfied an earlier check.
    @inline(__always)
    private func decideRules(
        _ policy: RoutePolicy, _ identity: VerifiedTokenCache.Entry?, in context: DecisionContext,
        _ ruleContext: RuleEvaluationContext?,
        signedInAt: UnixTime?, _ storeFailure: (StoreFailure) -> Void
    ) -> Decision {
        guard let rules = policy.rules else {
            return .permit(Grant(identity: identity, signedInAt: signedInAt))
        }
        switch evaluate(rules, policy, identity, in: context, ruleContext, storeFailure) {
        case .passes(let recorded): return .permit(Grant(identity: identity, signedInAt: signedInAt ?? recorded))
        case .ends(let decision): return decision
        }
    }
}

/// An observer of the finding of each check.
private protocol AuthorizationObserver {
    func found(_ finding: AuthorizationFinding)
}

/// The observer of the production path. It costs nothing.
private struct Unobserved: AuthorizationObserver {
    @inline(__always)
    func found(_ finding: AuthorizationFinding) {}
}

private struct Observed: AuthorizationObserver {
    let body: (AuthorizationFinding) -> Void

    func found(_ finding: AuthorizationFinding) { body(finding) }
}
