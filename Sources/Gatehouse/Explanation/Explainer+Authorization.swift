import HTTPWire
import SecurityRules

extension Explainer {
    /// Asks the authorizer for its decision, and tells it with the steps that led there.
    func authorize(
        _ entry: VerifiedTokenCache.Entry?, _ evidence: Evidence, _ request: ParsedRequest, _ place: RoutedPlace,
        _ soFar: Account
    ) -> Explanation {
        var account = soFar
        let policy = snapshot.plans[place.index].policy
        let store = entry.map { evidence.records.view(of: $0.principal) } ?? StoreView()
        let authorizer = Authorizer(
            store: store.reader(), clockSkew: snapshot.clockSkew, maxStaleness: snapshot.maxStaleness,
            asksFirebase: asksFirebase, acrValues: snapshot.acrValues)
        let moment = Authorizer.Moment(
            now: clock.now(), monotonic: clock.monotonic(), mayWait: false, account: evidence.account.view)
        if let entry {
            let steps = AuthorizationAccount(
                authorizer: authorizer, policy: policy, principal: entry.principal, evidence: evidence.records,
                firebase: evidence.account, moment: moment)
            for step in steps.untilRefusal() { account.add(step) }
        }
        let (decision, steps) = decide(authorizer, policy, entry, at: moment, request, place)
        for step in steps { account.add(step) }
        if let doubt = doubt(about: decision, policy, entry, evidence) { return account.undetermined(doubt) }
        switch decision {
        case .permit(let permit): return forwarded(permit, request, place, account)
        case .deny(let denial): return account.refused(denial)
        case .awaitStore, .ask, .lookUp: return account.refused(Denial(.storeUnavailable))
        }
    }

    /// The decision, with what rules said.
    private func decide(
        _ authorizer: Authorizer, _ policy: RoutePolicy, _ entry: VerifiedTokenCache.Entry?,
        at moment: Authorizer.Moment, _ request: ParsedRequest, _ place: RoutedPlace
    ) -> (Decision, [ExplanationStep]) {
        guard let rules = policy.rules else {
            return (authorizer.decide(policy, identity: entry, at: moment, storeFailure: { _ in }), [])
        }
        let outgoing = snapshot.outgoing
        let asker = RuleAsker(RequestBindings { outgoing.showsRules($0, of: $1) })
        let recorder = RuleRecorder()
        asker.evaluator.recorder = recorder
        let decision = request.withView { view in
            place.path.withUnsafeBytes { path in
                asker.begin(view, path: path)
                defer { asker.end() }
                return authorizer.decide(policy, identity: entry, at: moment, rules: asker, storeFailure: { _ in })
            }
        }
        return (decision, RuleAccount(rules: rules, verdicts: asker.verdicts, recorder: recorder).steps)
    }

    /// What a decision hangs on that could not be found out.
    private func doubt(
        about decision: Decision, _ policy: RoutePolicy, _ entry: VerifiedTokenCache.Entry?, _ evidence: Evidence
    ) -> String? {
        switch decision {
        case .permit where !evidence.records.isKnown && policy.revocation != .off:
            "it passes unless the user is disabled or revoked, which could not be found out"
        case .permit where !evidence.account.isKnown:
            "it passes unless Firebase says that the user is disabled, deleted or revoked, which was not asked"
        case .deny(let denial)
        where denial.code == .requiresRecentLogin && !evidence.records.isKnown && entry?.standing.hasSession == true:
            "it passes only with a later sign-in on record, which could not be found out"
        default: nil
        }
    }

    private func forwarded(
        _ permit: Permit, _ request: ParsedRequest, _ place: RoutedPlace, _ soFar: Account
    ) -> Explanation {
        var account = soFar
        let identity = permit.identity?.identity
        guard identity?.isTooLarge != true else {
            account.fail("identity", "its header fields are longer than \(RenderedIdentity.limit) bytes")
            return account.refused(Denial(.headTooLarge))
        }
        var lines = identity?.bytes ?? []
        if let identity, let signedInAt = permit.signedInAt {
            lines = identity.bytes.prefix(identity.lengthBeforeTime) + snapshot.outgoing.identity.timeLine(signedInAt)
        }
        let upstream = configuration.upstreams[snapshot.plans[place.index].upstream]
        return account.passes(
            Explanation.Forwarded(
                upstream: upstream.name, servers: upstream.servers, method: request.text(request.head.methodRange),
                target: place.target,
                identity: String(decoding: lines, as: UTF8.self).split(separator: "\r\n").map(String.init)))
    }
}
