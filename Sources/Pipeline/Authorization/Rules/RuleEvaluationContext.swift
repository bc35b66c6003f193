package import Authentication
package import GatewayCore
import HTTPWire
package import SecurityRules

/// Asks rules about requests. One a worker, on its event loop: the evaluator and what a request gives rules are used again and again.
package final class RuleEvaluationContext {
    package let evaluator = RuleEvaluator()
    private let bindings: RequestBindings
    private var path = UnsafeRawBufferPointer(start: nil, count: 0)
    private var operation: RuleOperation?
    private var isReady = false
    /// What came of the last request that rules were asked about, for its record; nil: they were not asked.
    package private(set) var finding: RuleFinding?
    /// What each ruleset said; empty where nobody writes down what is asked.
    package private(set) var verdicts: [RuleVerdict] = []

    package init(_ bindings: RequestBindings) {
        self.bindings = bindings
    }

    /// This one, or another one while a request is being asked about: what a nested request binds must not reach the rules of the outer one.
    package func idle() -> RuleEvaluationContext {
        isReady ? RuleEvaluationContext(bindings.fresh()) : self
    }

    /// A request that may have to be asked about; it and its path must outlive `end()`.
    ///
    /// - Parameters:
    ///   - path: the canonical one that the route matched.
    ///   - places: where the route looks for credentials besides, which rules do not get to see; nil: nowhere.
    package func begin(_ request: RequestView, path: UnsafeRawBufferPointer, hiding places: CredentialSources? = nil) {
        self.path = path
        operation = RuleOperation(method: request.head.methodRange.bytes(in: request.bytes), path: path)
        bindings.begin(request, hiding: places)
        finding = nil
        isReady = true
    }

    /// The request is decided, or waits.
    package func end() {
        bindings.end()
        path = UnsafeRawBufferPointer(start: nil, count: 0)
        isReady = false
    }

    /// What the rules of a route say of the request that was begun.
    ///
    /// - Parameter identity: nil: nobody is signed in.
    func evaluate(
        _ rules: RouteRules, _ identity: VerifiedTokenCache.Entry?, signIn: RuleSignIn, now: Int64
    ) -> RuleAnswer {
        guard isReady, let time = RuleTimestamp(seconds: now) else { return .denied }
        bindings.identity = identity
        evaluator.begin(RuleRequest(operation: operation, path: path, time: time, signIn: signIn), bindings)
        defer { evaluator.end() }
        // A request that waited for a record is asked about again.
        if let recorder = evaluator.recorder {
            recorder.removeAll()
            verdicts = []
        }
        var answer: RuleAnswer?
        for ruleset in rules.rulesets {
            let verdict = evaluator.decide(ruleset)
            if evaluator.recorder != nil { verdicts.append(verdict) }
            let next = RuleAnswer(verdict)
            if answer.map({ $0.rank < next.rank }) ?? true { finding = RuleFinding(verdict, in: ruleset) }
            answer = answer.map { $0.and(next) } ?? next
            if answer == .denied { break }
        }
        return answer ?? .denied
    }
}
