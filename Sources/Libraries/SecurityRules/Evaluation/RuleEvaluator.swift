/// An evaluator of rules for one request at a time. Each event loop has its own and reuses it, so it keeps the memory
/// of the largest request.
public final class RuleEvaluator {
    /// The recorder of evaluated expressions, or `nil`. A change takes effect with the next `begin`.
    public var recorder: RuleRecorder?
    /// The lane in which results of rulesets with counters are counted. `nil` counts none.
    public var lane: Int?
    private var evaluation = Evaluation()

    /// Creates an evaluator without a request.
    public init() {}

    /// Begins a request. All `decide` calls until `end` share its limits, and load each value of `bindings` at most
    /// once.
    ///
    /// - Parameter bindings: The values of the request. They must not call this evaluator.
    public func begin(_ request: RuleRequest, _ bindings: any RuleBindings) {
        evaluation.begin(request, bindings, recorder)
    }

    /// Decides the current request.
    public func decide(_ ruleset: Ruleset) -> RuleVerdict {
        evaluation.decide(ruleset.program, lane: lane)
    }

    /// Ends the request and drops its values.
    public func end() {
        evaluation.end()
    }

    /// Evaluates an expression over the `auth` variable, between requests. `nil` if it fails.
    public func value(of expression: RuleValueExpression, auth: RuleValue) -> RuleValue? {
        try? evaluate(expression, auth: auth)
    }

    /// Returns whether a condition over the `auth` variable is true, between requests. A condition that fails is not.
    public func isTrue(_ condition: RuleValueExpression, auth: RuleValue) -> Bool {
        if case .bool(true)? = value(of: condition, auth: auth) { true } else { false }
    }

    /// Evaluates an expression, or throws the reason that it fails.
    func evaluate(_ expression: RuleValueExpression, auth: RuleValue) throws(RuleFailure) -> RuleValue {
        evaluation.begin(auth: auth)
        defer { evaluation.end() }
        return try evaluation.value(expression.root, expression.program)
    }
}

extension Evaluation {
    /// Begins an evaluation with only `auth`.
    fileprivate mutating func begin(auth: RuleValue) {
        end()
        renewLimits()
        values[Int(ProgramBinding.auth.rawValue)] = auth
        loaded = 1 << ProgramBinding.auth.rawValue
    }
}
