extension Parser {
    /// A part of an expression while it grows.
    struct Operand {
        var expression: Expression
        /// How many levels it has.
        var height = 1
        /// Where it begins, with its parentheses.
        var start: Int32
        var isParenthesised = false
    }

    /// A source that is one expression.
    mutating func wholeExpression() throws(Abandoned) -> Expression {
        if at("if") {
            fail(current.range, "'if' stands before the condition", "write the condition alone")
            advance()
        }
        let result = try expression().expression
        if at(.semicolon) {
            fail(
                current.range, "';' stands behind the expression",
                "take it out: this is one expression and no statement")
            throw Abandoned()
        }
        guard current.isEnd else { try unexpectedAfterExpression("the end") }
        return result
    }

    /// An expression of any precedence.
    mutating func expression() throws(Abandoned) -> Operand {
        try descend()
        defer { depth -= 1 }
        let condition = try binary(1)
        guard at(.question) else { return condition }
        return try conditional(condition)
    }

    private mutating func conditional(_ condition: Operand) throws(Abandoned) -> Operand {
        if lexer.peek() == UInt8(ascii: "?") {
            fail(current.range, "there is no '??'", "write map.get('key', default) for what may be missing")
            throw Abandoned()
        }
        advance()
        let then = try expression()
        guard take(.colon) else { try expected("':'", "a choice is 'condition ? one : other'") }
        let otherwise = try expression()
        let height = max(condition.height, then.height, otherwise.height)
        return try make(
            .conditional(condition.expression, then: then.expression, otherwise: otherwise.expression),
            from: condition.start, over: height)
    }

    /// Goes a level down, if there is one.
    mutating func descend() throws(Abandoned) {
        guard depth < RuleLimits.expressionDepth else { try tooDeep(current.range) }
        depth += 1
    }

    private mutating func tooDeep(_ range: SourceRange) throws(Abandoned) -> Never {
        fail(
            range, "expressions nest at most \(RuleLimits.expressionDepth) levels deep",
            "take parts out into functions or lets; only chains of '&&' and of '||' are one level")
        throw Abandoned()
    }

    /// An expression over parts of a height, and where it stands.
    mutating func make(_ kind: Expression.Kind, from start: Int32, over height: Int = 0) throws(Abandoned) -> Operand {
        let range = range(from: start)
        // What stands left of an operator was read before it was known to be a level further down.
        guard depth + height <= RuleLimits.expressionDepth else { try tooDeep(range) }
        expressions += 1
        guard expressions <= RuleLimits.sourceExpressions else {
            fail(
                range, "rules have at most \(RuleLimits.sourceExpressions) expressions",
                "split them: each route can have a file of its own")
            halt()
            throw Abandoned()
        }
        return Operand(expression: Expression(kind: kind, range: range), height: height + 1, start: start)
    }

    /// Tells what stands where an expression could have ended.
    mutating func unexpectedAfterExpression(_ end: String) throws(Abandoned) -> Never {
        if at(.closeParenthesis) || at(.closeBracket) || at(.closeBrace) {
            fail(current.range, "\(found) closes nothing", "take it out, or open what it closes")
            throw Abandoned()
        }
        let needsOperator =
            switch current.kind {
            case .symbol: false
            default: true
            }
        try expected(
            "an operator or \(end)",
            needsOperator
                ? "two values need an operator between them, as a && b" : "take it out, or add what belongs before it")
    }
}
