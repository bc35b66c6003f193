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
    let program: Program

    /// Reads a rules file.
    ///
    /// - Throws: everything wrong with it.
    public init(file source: RuleSource) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = RulesetParser.parse(&findings) else { throw findings.problems }
        RulesChecker.check(syntax, &findings)
        guard findings.isUsable else { throw findings.problems }
        var compiler = Compiler(source)
        compiler.compile(syntax)
        self.init(compiler, findings)
    }

    /// Reads the condition of a route, which is asked for every method.
    ///
    /// - Parameters:
    ///   - captures: those of the route's pattern.
    ///   - label: what logs call it, `gatehouse.yaml:51`.
    /// - Throws: everything wrong with it.
    public init(condition source: RuleSource, captures: [RuleCapture], label: String) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = ExpressionParser.parse(&findings) else { throw findings.problems }
        RulesChecker.check(condition: syntax, captures: captures, &findings)
        guard findings.isUsable else { throw findings.problems }
        self.init(syntax, captures, label, findings)
    }

    /// The same without a check: what it would refuse fails when it is evaluated.
    package init(unchecked source: RuleSource, captures: [RuleCapture], label: String) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = ExpressionParser.parse(&findings), findings.isUsable else { throw findings.problems }
        self.init(syntax, captures, label, findings)
    }

    private init(_ condition: Expression, _ captures: [RuleCapture], _ label: String, _ findings: RuleFindings) {
        var compiler = Compiler(findings.source)
        compiler.compile(condition: condition, captures: captures, label: label)
        self.init(compiler, findings)
    }

    private init(_ compiler: Compiler, _ findings: RuleFindings) {
        warnings = RuleProblems(findings.warnings).problems
        needsSignInRecord = compiler.needsSignInRecord
        rules = compiler.statements
        expressions = compiler.expressions()
        program = compiler.program()
    }
}

extension RuleFindings {
    /// What keeps the rules from being used.
    var problems: RuleProblems { RuleProblems(errors) }
}

/// A capture of a route's pattern that a condition may name.
public struct RuleCapture: Sendable, Hashable {
    /// The name that the condition knows it by.
    public let name: String
    /// The segment of the request's path that it is, 0 the first; of a rest the first of its segments.
    public let segment: Int
    /// Whether it stands for all segments from there on (`{name=**}`): a path, else a string.
    public let isRest: Bool

    /// A capture.
    public init(name: String, segment: Int, isRest: Bool) {
        self.name = name
        self.segment = segment
        self.isRest = isRest
    }
}
