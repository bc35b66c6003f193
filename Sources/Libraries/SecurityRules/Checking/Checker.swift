/// Looks for what is wrong with rules that a parser has read, so that it is told when they are loaded and not when a request
/// comes: unknown names, wrong arguments, values that cannot fit where they stand, conditions that are never true.
///
/// Linear in the text: each function is looked at once, whatever calls it, and its parameters may be anything. Recurses as deep
/// as expressions and blocks nest, which the parser bounds.
struct Checker {
    /// What the names of the language stand for.
    enum Mode {
        /// `auth` and `request`.
        case condition
        /// `auth`, `uid`, `provider` and `token`: what is worked out once for a token has no request.
        case value
    }

    let mode: Mode
    var findings: RuleFindings
    var blocks: [CheckedBlock] = []
    var functions: [CheckedFunction] = []
    /// Where captures of a file are declared, the first of each name.
    var captures: [String: SourceRange] = [:]
    /// What each function calls, each callee once.
    var calls: [[Int]] = []
    /// What conditions call.
    var calledByConditions: Set<Int> = []
    /// The block, and the parameters and `let`s of the function, that are being looked at.
    var block = 0
    var locals: [CheckedVariable] = []
    /// The function that is being looked at; nil: a condition.
    var function: Int?
    var patterns = PatternTree()
    var patternCheck = PatternCheck()
    /// What calls may cost that are tried out since all of them is written down.
    var work = WorkBudget()

    private init(_ mode: Mode, _ findings: RuleFindings) {
        self.mode = mode
        self.findings = findings
    }

    /// A rules file.
    static func check(_ ruleset: RulesetSyntax, _ findings: inout RuleFindings) {
        var checker = Checker(.condition, findings)
        checker.declare(ruleset)
        checker.checkCalls()
        checker.checkRules(ruleset)
        checker.warnOfUnusedFunctions()
        findings = checker.findings
    }

    /// One condition.
    ///
    /// - Parameter captures: those of the pattern that it belongs to.
    static func check(condition: Expression, captures: [RuleCapture], _ findings: inout RuleFindings) {
        var checker = Checker(.condition, findings)
        checker.declare(captures, at: condition.range)
        let value = checker.inferCondition(condition)
        if value.boolConstant == true {
            checker.findings.warn(
                condition.range, "this is always true, so it asks nothing",
                "leave it out, or ask who is there: auth.uid == uid")
        } else if value.boolConstant == false {
            checker.findings.warn(
                condition.range, "this is never true, so nobody may", "write what must hold for a request to pass")
        }
        findings = checker.findings
    }

    /// One value that is worked out once for each token.
    static func check(value: Expression, _ findings: inout RuleFindings) {
        var checker = Checker(.value, findings)
        checker.blocks = [CheckedBlock(parent: nil, captures: [])]
        checker.inferRendered(value)
        findings = checker.findings
    }
}
