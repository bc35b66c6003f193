/// A checker that reports errors of parsed rules at load time.
///
/// It is linear in the text: each function is checked once, for any arguments.
struct RulesChecker {
    var expressions: ExpressionChecker
    /// The callees of each function, each once.
    var calls: [[Int]] = []
    private var patterns = PatternTree()

    private init(_ mode: NameScope.Mode, _ findings: RuleFindings) {
        expressions = ExpressionChecker(mode, findings)
    }

    /// Checks a rules file.
    static func check(_ ruleset: RulesetSyntax, _ findings: inout RuleFindings) {
        var checker = RulesChecker(.condition, findings)
        checker.expressions.names.declare(ruleset, &checker.expressions.findings)
        checker.checkCalls()
        checker.checkRules(ruleset)
        checker.warnOfUnusedFunctions()
        findings = checker.expressions.findings
    }

    /// Checks one condition.
    ///
    /// - Parameter captures: The captures of the condition's pattern.
    static func check(condition: Expression, captures: [RuleCapture], _ findings: inout RuleFindings) {
        var checker = RulesChecker(.condition, findings)
        checker.expressions.names.declare(captures, at: condition.range, &checker.expressions.findings)
        let value = checker.expressions.inferCondition(condition)
        if value.boolConstant == true {
            checker.expressions.findings.warn(
                condition.range, "this is always true, so it permits every request",
                "omit it, or test the user: auth.uid == uid")
        } else if value.boolConstant == false {
            checker.expressions.findings.warn(
                condition.range, "this is never true, so it denies every request",
                "write the condition of permitted requests")
        }
        findings = checker.expressions.findings
    }

    /// Checks a value that is computed once for each token.
    static func check(value: Expression, _ findings: inout RuleFindings) {
        var checker = RulesChecker(.value, findings)
        checker.expressions.inferRendered(value)
        findings = checker.expressions.findings
    }

    /// Checks a condition that only a token decides.
    static func check(userCondition condition: Expression, _ findings: inout RuleFindings) {
        var checker = RulesChecker(.value, findings)
        switch checker.expressions.inferCondition(condition).boolConstant {
        case true?:
            checker.expressions.findings.warn(
                condition.range, "this is always true, so it permits every user",
                "test the user, as in token.email.matches('.*@example[.]com')")
        case false?:
            checker.expressions.findings.warn(
                condition.range, "this is never true, so it permits no user", "write the condition of permitted users")
        case nil: break
        }
        findings = checker.expressions.findings
    }
}

extension RulesChecker {
    /// Checks the conditions of a file, and which of them have an effect.
    mutating func checkRules(_ ruleset: RulesetSyntax) {
        if ruleset.matches.isEmpty {
            expressions.findings.warn(
                ruleset.range, "there is no match block, so nothing is allowed",
                "write match /{path=**} { allow read: if request.auth != null; }")
        }
        // Blocks are numbered in the order of the text.
        var next = 1
        for match in ruleset.matches { check(match, &next, Around(node: 0, isReported: false)) }
    }

    /// The properties of the enclosing blocks.
    private struct Around {
        /// The node of their pattern.
        var node: Int
        /// Whether an error that applies to all inner blocks has been reported.
        var isReported: Bool
    }

    private mutating func check(_ match: MatchSyntax, _ next: inout Int, _ around: Around) {
        let index = next
        next += 1
        var around = Around(
            node: patterns.node(match.segments, from: around.node), isReported: around.isReported)
        if !around.isReported, !Self.hasAllow(match) {
            expressions.findings.warn(
                match.range, "this block contains no allow", "add an allow, or remove the block")
            around.isReported = true
        }
        checkAllows(match, index, around)
        for match in match.matches { check(match, &next, around) }
    }

    /// The nesting of blocks is bounded, so the search below each of them is linear overall.
    private static func hasAllow(_ match: MatchSyntax) -> Bool {
        !match.allows.isEmpty || match.matches.contains { hasAllow($0) }
    }

    private mutating func checkAllows(_ match: MatchSyntax, _ index: Int, _ around: Around) {
        expressions.names.block = index
        let before = patterns.nodes[around.node]
        let isCovered = before.unconditional == .all && !match.allows.isEmpty
        if isCovered {
            expressions.findings.warn(
                match.range,
                "all requests of this block are already allowed\(expressions.findings.place(before.range)), without a condition",
                "remove one of them")
        }
        for allow in match.allows { check(allow, on: around.node, isCovered) }
    }

    private mutating func check(_ allow: AllowSyntax, on node: Int, _ isCovered: Bool) {
        let value = allow.condition.map { expressions.inferCondition($0) } ?? .bool(true)
        let earlier = patterns.nodes[node]
        if !isCovered, !allow.operations.isEmpty, earlier.unconditional.isSuperset(of: allow.operations) {
            expressions.findings.warn(
                allow.range,
                "this has no effect: its requests are already allowed\(expressions.findings.place(earlier.range)), without a condition",
                "remove one of them")
        } else if value.boolConstant == true {
            warnOfOpenness(allow)
        } else if value.boolConstant == false {
            expressions.findings.warn(
                allow.range, "this never allows anything", "remove it: requests without an allow are denied")
        }
        if value.boolConstant == true { patterns.allow(allow.operations, on: node, at: allow.range) }
    }

    private mutating func warnOfOpenness(_ allow: AllowSyntax) {
        let writes = allow.operations.intersection(.write)
        if !writes.isEmpty {
            expressions.findings.warn(
                allow.range, "anonymous clients may \(writes.text), since no condition tests the user",
                "write a condition, as in: if request.auth != null")
        } else if let condition = allow.condition, condition.kind.isNoLiteral {
            expressions.findings.warn(
                condition.range, "this is always true", "omit the condition, or write one that depends on the request")
        }
    }
}

extension Expression.Kind {
    /// Whether the expression is not a boolean literal.
    var isNoLiteral: Bool {
        if case .bool = self { false } else { true }
    }
}
