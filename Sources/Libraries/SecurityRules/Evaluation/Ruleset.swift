/// Compiled rules: immutable and shared by all evaluators.
public struct Ruleset: Sendable {
    /// Warnings, which do not prevent the use of the rules.
    public let warnings: [RuleProblem]
    /// Whether a decision can depend on the store's record of the last sign-in.
    public let needsSignInRecord: Bool
    /// The `allow` statements in the order of evaluation.
    public let rules: [RuleStatement]
    /// All expressions.
    public let expressions: [RuleExpression]
    private(set) var program: Program

    /// The text.
    public var source: RuleSource { program.source }
    /// The counters of results. `nil` unless they are counted.
    public var counters: RuleCounters? { program.counters }

    /// Parses, checks and compiles a rules file.
    ///
    /// - Throws: All errors of the file.
    public init(file source: RuleSource) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = RulesetParser.parse(&findings) else { throw findings.problems }
        RulesChecker.check(syntax, &findings)
        guard findings.isUsable else { throw findings.problems }
        var compiler = Compiler(source)
        compiler.compile(syntax)
        self.init(compiler, findings)
    }

    /// Parses, checks and compiles the condition of a route, which applies to all methods.
    ///
    /// - Parameters:
    ///   - captures: The captures of the route's pattern.
    ///   - label: The name in logs: `gatehouse.yaml:51`.
    /// - Throws: All errors of the condition.
    public init(condition source: RuleSource, captures: [RuleCapture], label: String) throws(RuleProblems) {
        var findings = RuleFindings(source)
        guard let syntax = ExpressionParser.parse(&findings) else { throw findings.problems }
        RulesChecker.check(condition: syntax, captures: captures, &findings)
        guard findings.isUsable else { throw findings.problems }
        self.init(syntax, captures, label, findings)
    }

    /// Compiles a condition without checks. Errors that a check would report fail during evaluation.
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

    /// Returns these rules with counters of results.
    ///
    /// - Parameters:
    ///   - lanes: The number of evaluators that count, each with its own `RuleEvaluator.lane`.
    ///   - since: The current time in seconds since 1970.
    ///   - earlier: The counters of the same source, which are continued. `nil` begins new ones.
    public func counting(lanes: Int, since: Int64, continuing earlier: RuleCounters? = nil) -> Ruleset {
        let (expressions, rules) = (program.nodes.count, program.rules.count)
        var copy = self
        let counters: RuleCounters
        if let earlier, earlier.fit(expressions: expressions, rules: rules, lanes: lanes) {
            counters = earlier
        } else {
            counters = RuleCounters(expressions: expressions, rules: rules, lanes: max(lanes, 0), since: since)
        }
        copy.program = Program(program, counters: counters)
        return copy
    }
}

extension RuleFindings {
    /// The errors that prevent the use of the rules.
    var problems: RuleProblems { RuleProblems(errors) }
}

/// A capture of a route's pattern that a condition can use.
public struct RuleCapture: Sendable, Hashable {
    /// The name in the condition.
    public let name: String
    /// The index of the segment in the request's path, from 0. For a rest, the first of its segments.
    public let segment: Int
    /// Whether the capture contains all segments from there (`{name=**}`), as a path. Otherwise it is a string.
    public let isRest: Bool

    /// Creates a capture.
    public init(name: String, segment: Int, isRest: Bool) {
        self.name = name
        self.segment = segment
        self.isRest = isRest
    }
}
