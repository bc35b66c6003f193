/// Writes down what expressions came to, for tests, coverage and explanations. Without one an evaluator keeps none of it.
public final class RuleRecorder {
    /// What an expression came to.
    public enum Outcome: Sendable {
        /// A value.
        case value(RuleValue)
        /// None; the reason in words.
        case failure(String)
    }

    /// What was assumed while rules were asked.
    public enum Pass: Sendable, Hashable {
        /// Nothing: the request as it is.
        case actual
        /// That the user signed in that many seconds ago, or used a second factor: asked when the request as it is may not pass.
        case assuming(signedInAgo: Int64?, secondFactor: Bool)
    }

    /// One evaluation of one expression.
    public struct Entry: Sendable {
        /// How many rulesets had been asked since `begin`: 0 for the first.
        public let ruleset: Int
        /// The pass of that decision.
        public let pass: Pass
        /// The `allow` that was asked, by its number in `Ruleset.rules`.
        public let rule: Int
        /// The expression, by its number in `Ruleset.expressions`.
        public let expression: Int
        /// What it came to.
        public let outcome: Outcome
    }

    /// In the order in which evaluations ended: parts before the whole.
    public private(set) var entries: [Entry] = []
    private(set) var ruleset = -1
    private(set) var pass = Pass.actual
    private(set) var rule = 0

    /// Nothing written yet.
    public init() {}

    /// Forgets what was written.
    public func removeAll() {
        entries.removeAll()
    }

    func beginRequest() { ruleset = -1 }

    func beginRuleset() {
        ruleset += 1
        pass = .actual
    }

    func begin(_ pass: Pass) { self.pass = pass }

    func begin(rule: Int) { self.rule = rule }

    func record(_ expression: Int32, _ outcome: Outcome) {
        let entry = Entry(ruleset: ruleset, pass: pass, rule: rule, expression: Int(expression), outcome: outcome)
        entries.append(entry)
    }
}
