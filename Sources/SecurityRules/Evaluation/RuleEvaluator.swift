/// Asks rules what they say of requests, one request at a time. One per event loop, reused: its memory is that of the costliest request so far.
public final class RuleEvaluator {
    /// Where to write down what expressions come to; nil: nowhere. Set it between requests.
    public var recorder: RuleRecorder?

    /// An evaluator at rest.
    public init() {}

    /// Begins a request. All `decide`s until `end` share its limits, and ask `bindings` for each value at most once.
    public func begin(_ request: RuleRequest, _ bindings: any RuleBindings) {}

    /// What rules say of the request that was begun.
    public func decide(_ ruleset: Ruleset) -> RuleVerdict {
        .denied(RuleDenial(.noRule))
    }

    /// Ends the request, and lets go of everything of it.
    public func end() {}

    /// The value of an expression over the `auth` variable; nil: it has none.
    public func value(of expression: RuleValueExpression, auth: RuleValue) -> RuleValue? {
        nil
    }
}
