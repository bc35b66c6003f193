/// Rules, read, checked and compiled: immutable, and shared by all that ask them.
public struct Ruleset: Sendable {
    /// What is worth knowing of them, and keeps them from nothing.
    public let warnings: [RuleProblem]
    /// Whether a condition may hang on the store's record of the last sign-in: false tells that no verdict ever does.
    public let needsSignInRecord: Bool
    /// The `allow` statements, in the order in which they are asked.
    public let rules: [RuleStatement]
    /// Every expression.
    public let expressions: [RuleExpression]

    /// Reads a rules file.
    ///
    /// - Throws: everything wrong with it.
    public init(file source: RuleSource) throws(RuleProblems) {
        throw RuleProblems([])
    }

    /// Reads the condition of a route, which is asked for every method.
    ///
    /// - Parameters:
    ///   - captures: those of the route's pattern.
    ///   - label: what logs call it, `gatehouse.yaml:51`.
    /// - Throws: everything wrong with it.
    public init(condition source: RuleSource, captures: [RuleCapture], label: String) throws(RuleProblems) {
        throw RuleProblems([])
    }
}
