package import Authentication
package import GatewayCore
import HTTPWire
package import SecurityRules

/// The evaluation of rules. One per worker, on its event loop; it reuses the evaluator and the bindings.
package final class RuleEvaluationContext {
    package let evaluator = RuleEvaluator()
    private let bindings: RequestBindings
    private var path = UnsafeRawBufferPointer(start: nil, count: 0)
    private var operation: RuleOperation?
    private var isReady = false
    /// The finding of the last evaluated request, for its log record. `nil` if no rules were evaluated.
    package private(set) var finding: RuleFinding?
    /// The verdict of each ruleset. Empty if no recorder is attached.
    package private(set) var verdicts: [RuleVerdict] = []

    /// Creates a context.
    ///
    /// - Parameter lane: The lane in which results of rules are counted. `nil` counts none.
    package init(_ bindings: RequestBindings, lane: Int? = nil) {
        self.bindings = bindings
        evaluator.lane = lane
    }

    /// Returns this context, or a new one while a request is bound. A nested request must not change the bindings of
    /// the outer one.
    package func idle() -> RuleEvaluationContext {
        isReady ? RuleEvaluationContext(bindings.fresh(), lane: evaluator.lane) : self
    }

    /// Binds a request to evaluate. The request and its path must outlive `end()`.
    ///
    /// - Parameters:
    ///   - path: The canonical path that the route matched.
    ///   - app: The verified app. `nil` without a verified App Check token.
    ///   - places: The additional credential sources of the route, which are hidden from rules. `nil` if there are
    ///     none.
    package func begin(
        _ request: RequestView, path: UnsafeRawBufferPointer, of app: AppCheckApp? = nil,
        hiding places: CredentialSources? = nil
    ) {
        self.path = path
        operation = RuleOperation(method: request.head.methodRange.bytes(in: request.bytes), path: path)
        bindings.begin(request, of: app, hiding: places)
        finding = nil
        isReady = true
    }

    /// Unbinds the request, which is decided or waits.
    package func end() {
        bindings.end()
        path = UnsafeRawBufferPointer(start: nil, count: 0)
        isReady = false
    }

    /// Evaluates a route's rules for the bound request. The identity is `nil` if the request is anonymous.
    func evaluate(
        _ rules: RouteRules, _ identity: VerifiedTokenCache.Entry?, signIn: RuleSignIn, now: Int64
    ) -> RuleResult {
        guard isReady, let time = RuleTimestamp(seconds: now) else { return .denied }
        bindings.identity = identity
        evaluator.begin(RuleRequest(operation: operation, path: path, time: time, signIn: signIn), bindings)
        defer { evaluator.end() }
        // A request that waited for a record is evaluated again.
        if let recorder = evaluator.recorder {
            recorder.removeAll()
            verdicts = []
        }
        var result: RuleResult?
        for ruleset in rules.rulesets {
            let verdict = evaluator.decide(ruleset)
            if evaluator.recorder != nil { verdicts.append(verdict) }
            let next = RuleResult(verdict)
            if result.map({ $0.rank < next.rank }) ?? true { finding = RuleFinding(verdict, in: ruleset) }
            result = result.map { $0.and(next) } ?? next
            if result == .denied { break }
        }
        return result ?? .denied
    }
}
