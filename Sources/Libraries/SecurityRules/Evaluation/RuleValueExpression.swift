/// An expression over a verified token, for the value of a field or as a condition. Its names are `auth`, `uid`,
/// `provider` and `token`.
public struct RuleValueExpression: Sendable {
    let program: Program
    let root: Int32

    /// Parses and checks an expression.
    ///
    /// - Throws: All errors of the expression.
    public init(_ source: RuleSource) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = ExpressionParser.parse(&findings) else { throw findings.problems }
        RulesChecker.check(value: syntax, &findings)
        guard findings.isUsable else { throw findings.problems }
        self.init(syntax, source)
    }

    /// Parses and checks a condition.
    ///
    /// - Returns: The condition, and the warnings about it.
    /// - Throws: All errors of the expression, also if it cannot be a boolean.
    public static func condition(_ source: RuleSource) throws(RuleProblems) -> (RuleValueExpression, [RuleProblem]) {
        var findings = RuleFindings(source)
        guard let syntax = ExpressionParser.parse(&findings) else { throw findings.problems }
        RulesChecker.check(userCondition: syntax, &findings)
        guard findings.isUsable else { throw findings.problems }
        return (Self(syntax, source), RuleProblems(findings.warnings).problems)
    }

    /// Parses an expression without checks. Errors that a check would report fail during evaluation.
    init(unchecked source: RuleSource) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = ExpressionParser.parse(&findings), findings.isUsable else { throw findings.problems }
        self.init(syntax, source)
    }

    private init(_ syntax: Expression, _ source: RuleSource) {
        var compiler = Compiler(source)
        root = compiler.compile(value: syntax)
        program = compiler.program()
    }
}
