/// A recursive descent parser of expressions. Their nesting is bounded by `RuleLimits.expressionDepth`.
struct ExpressionParser {
    let tokens: TokenStream
    private var count = 0
    /// The number of enclosing brackets, operators and calls.
    var depth = 0

    init(_ tokens: TokenStream) {
        self.tokens = tokens
    }

    /// Parses a source that is one expression. `nil` if the result is unusable, with errors in the findings.
    static func parse(_ findings: inout RuleFindings) -> Expression? {
        guard SourceCheck.check(&findings) else { return nil }
        let tokens = TokenStream(findings)
        var parser = ExpressionParser(tokens)
        let expression = try? parser.wholeExpression()
        findings = tokens.findings
        return tokens.isHalted ? nil : expression
    }

    /// A part of an expression during parsing.
    struct Operand {
        var expression: Expression
        /// The number of its levels.
        var height = 1
        /// The start, including parentheses.
        var start: Int32
        var isParenthesised = false
    }

    private mutating func wholeExpression() throws(Abandoned) -> Expression {
        if tokens.at("if") {
            tokens.fail(tokens.current.range, "unexpected 'if' before the condition", "write the condition alone")
            tokens.advance()
        }
        let result = try expression().expression
        if tokens.at(.semicolon) {
            tokens.fail(
                tokens.current.range, "unexpected ';' after the expression",
                "remove it: this is an expression, not a statement")
            throw Abandoned()
        }
        guard tokens.current.isEnd else { try tokens.unexpectedAfterExpression("the end") }
        return result
    }

    /// Parses an expression of any precedence.
    mutating func expression() throws(Abandoned) -> Operand {
        try descend()
        defer { depth -= 1 }
        let condition = try binary(1)
        guard tokens.at(.question) else { return condition }
        return try conditional(condition)
    }

    private mutating func conditional(_ condition: Operand) throws(Abandoned) -> Operand {
        if tokens.lexer.peek() == UInt8(ascii: "?") {
            tokens.fail(
                tokens.current.range, "there is no '??'", "write map.get('key', default) for an optional key")
            throw Abandoned()
        }
        tokens.advance()
        let then = try expression()
        guard tokens.take(.colon) else { try tokens.expected("':'", "write 'condition ? one : other'") }
        let otherwise = try expression()
        let height = max(condition.height, then.height, otherwise.height)
        return try make(
            .conditional(condition.expression, then: then.expression, otherwise: otherwise.expression),
            from: condition.start, over: height)
    }

    /// Enters a level. Throws if the nesting is too deep.
    mutating func descend() throws(Abandoned) {
        guard depth < RuleLimits.expressionDepth else { try tooDeep(tokens.current.range) }
        depth += 1
    }

    private mutating func tooDeep(_ range: SourceRange) throws(Abandoned) -> Never {
        tokens.fail(
            range, "expressions nest at most \(RuleLimits.expressionDepth) levels deep",
            "move parts into functions or lets; only chains of '&&' and of '||' count as one level")
        throw Abandoned()
    }

    /// Creates an expression over parts of a height.
    mutating func make(_ kind: Expression.Kind, from start: Int32, over height: Int = 0) throws(Abandoned) -> Operand {
        let range = tokens.range(from: start)
        // The left operand was parsed before the operator added a level.
        guard depth + height <= RuleLimits.expressionDepth else { try tooDeep(range) }
        count += 1
        guard count <= RuleLimits.sourceExpressions else {
            tokens.fail(
                range, "rules have at most \(RuleLimits.sourceExpressions) expressions",
                RuleLimits.remedy)
            tokens.halt()
            throw Abandoned()
        }
        return Operand(expression: Expression(kind: kind, range: range), height: height + 1, start: start)
    }
}
