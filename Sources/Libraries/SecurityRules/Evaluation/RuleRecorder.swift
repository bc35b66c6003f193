/// A recorder of evaluated expressions, for tests, coverage and explanations.
public final class RuleRecorder {
    /// The result of an expression.
    public enum Outcome: Sendable {
        /// A value.
        case value(RuleValue)
        /// A failure, with its description.
        case failure(String)
    }

    /// The assumptions of an evaluation.
    public enum Pass: Sendable, Hashable {
        /// The request without assumptions.
        case actual
        /// The user signed in this many seconds ago, or used a second factor. Evaluated if the request itself is
        /// denied.
        case assuming(signedInAgo: Int64?, secondFactor: Bool)
    }

    /// One evaluation of one expression.
    public struct Entry: Sendable {
        /// The index of the ruleset since `begin`, from 0.
        public let ruleset: Int
        /// The assumptions of the evaluation.
        public let pass: Pass
        /// The evaluated `allow`, as an index of `Ruleset.rules`.
        public let rule: Int
        /// The expression, as an index of `Ruleset.expressions`.
        public let expression: Int
        /// The result.
        public let outcome: Outcome
    }

    /// The entries in the order in which evaluations ended: parts before the whole.
    public private(set) var entries: [Entry] = []
    private(set) var ruleset = -1
    private(set) var pass = Pass.actual
    private(set) var rule = 0

    private let isLate: (() -> Bool)?

    /// Creates an empty recorder.
    ///
    /// - Parameter isLate: Whether the evaluation should end, which is asked before each expression. It is then denied
    ///   like beyond a limit. `nil` without a deadline.
    public init(isLate: (() -> Bool)? = nil) {
        self.isLate = isLate
    }

    /// Removes all entries.
    public func removeAll() {
        entries.removeAll()
    }

    /// Throws if the evaluation should end.
    func checkDeadline() throws(RuleFailure) {
        if isLate?() == true { throw RuleFailure(.tooLate) }
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
