/// An expression over a verified token alone, as a field's value: its names are `auth`, `uid`, `provider` and `token`.
public struct RuleValueExpression: Sendable {
    let program: Program
    let root: Int32

    /// Reads an expression.
    ///
    /// - Throws: everything wrong with it.
    public init(_ source: RuleSource) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = ExpressionParser.parse(&findings) else { throw findings.problems }
        RulesChecker.check(value: syntax, &findings)
        guard findings.isUsable else { throw findings.problems }
        self.init(syntax, source)
    }

    /// The same without a check: what it would refuse fails when it is evaluated.
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
