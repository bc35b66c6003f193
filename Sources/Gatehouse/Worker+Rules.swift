import HTTPWire
import SecurityRules

extension Worker {
    /// Has rules look at a request; nil where there is none of a route, which then does not pass.
    func beginRules(_ request: RequestView, _ plan: RoutePlan, _ target: Target) -> RuleAsker? {
        guard let rules = rules?.idle(), case .upstream(let match, let scratch) = target else { return nil }
        rules.begin(
            request, path: scratch.bytes(of: match.path, in: request.head.path.bytes(in: request.bytes)),
            hiding: plan.places)
        return rules
    }

    /// Notes what rules said, for the log and the counters, and lets go of the request.
    @inline(__always)
    func endRules(_ rules: RuleAsker?, _ client: ClientHandler) {
        if let rules { note(rules, client) }
    }

    private func note(_ rules: RuleAsker, _ client: ClientHandler) {
        if let finding = rules.finding {
            client.record.rule = finding.rule
            if let reason = finding.reason { client.record.reason = reason }
            if let counter = finding.counter { counters.add(to: counter) }
        }
        rules.end()
    }
}

extension RuleFinding {
    /// What it counts as; nil: nothing yet.
    var counter: WorkerCounters.Counter? {
        switch outcome {
        case .allowed: .rulesAllowed
        case .denied(let denial):
            denial.reason == .conditionFailed || denial.reason == .limit ? .rulesFailed : .rulesDenied
        case .needsRecentSignIn, .needsSecondFactor: .rulesSteppedUp
        case .needsSignInRecord, .signInRecordUnavailable: nil
        }
    }
}
