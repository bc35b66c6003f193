/// An expression over a verified token alone, as a field's value: its names are `auth`, `uid`, `provider` and `token`.
public struct RuleValueExpression: Sendable {
    /// Reads an expression.
    ///
    /// - Throws: everything wrong with it.
    public init(_ source: RuleSource) throws(RuleProblems) {
        throw RuleProblems([])
    }
}
