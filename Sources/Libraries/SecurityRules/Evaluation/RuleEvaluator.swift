/// Asks rules what they say of requests, one request at a time. One per event loop, reused: its memory is that of the costliest request so far.
public final class RuleEvaluator {
    /// Where to write down what expressions come to; nil: nowhere. Counts from the next `begin`.
    public var recorder: RuleRecorder?
    private var evaluation = Evaluation()

    /// An evaluator at rest.
    public init() {}

    /// Begins a request. All `decide`s until `end` share its limits, and ask `bindings` at most once for each value.
    ///
    /// - Parameter bindings: must not come back to this evaluator while it is asked.
    public func begin(_ request: RuleRequest, _ bindings: any RuleBindings) {
        evaluation.begin(request, bindings, recorder)
    }

    /// What rules say of the request that was begun.
    public func decide(_ ruleset: Ruleset) -> RuleVerdict {
        evaluation.decide(ruleset.program)
    }

    /// Ends the request, and lets go of everything of it.
    public func end() {
        evaluation.end()
    }

    /// The value of an expression over the `auth` variable; nil: it has none. Between requests.
    public func value(of expression: RuleValueExpression, auth: RuleValue) -> RuleValue? {
        try? evaluate(expression, auth: auth)
    }

    /// The same, with the reason why it has none.
    func evaluate(_ expression: RuleValueExpression, auth: RuleValue) throws(RuleFailure) -> RuleValue {
        evaluation.begin(auth: auth)
        defer { evaluation.end() }
        return try evaluation.value(expression.root, expression.program)
    }
}

extension Evaluation {
    /// Begins without a request: there is nothing but `auth`.
    fileprivate mutating func begin(auth: RuleValue) {
        end()
        renewLimits()
        values[Int(ProgramBinding.auth.rawValue)] = auth
        loaded = 1 << ProgramBinding.auth.rawValue
    }
}
