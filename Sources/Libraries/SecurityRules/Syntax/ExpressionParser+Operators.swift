/// A binary operator.
struct InfixOperator {
    enum Kind {
        case logical(LogicalOperator)
        case binary(BinaryOperator)
        case typeTest
    }

    var kind: Kind
    /// The precedence; a higher one binds more tightly.
    var precedence: Int
    /// The error of an operator from another language.
    var slip: (what: String, remedy: String)?
}

extension ExpressionParser {
    /// Parses operators of at least a precedence by precedence climbing. All are left-associative.
    mutating func binary(_ minimum: Int) throws(Abandoned) -> Operand {
        var left = try unary()
        while let found = infixOperator(), found.precedence >= minimum {
            if tokens.at("not") {
                tokens.fail(tokens.current.range, "there is no 'not in'", "write !(x in list)")
                tokens.advance()
            }
            if let slip = found.slip { tokens.fail(tokens.current.range, slip.what, slip.remedy) }
            warnOfNot(before: found, left)
            switch found.kind {
            case .logical(let logical): left = try chain(logical, found.precedence, left)
            case .typeTest: left = try typeTest(left)
            case .binary(let binary):
                tokens.advance()
                let right = try operand(above: found.precedence)
                left = try make(
                    .binary(binary, left.expression, right.expression), from: left.start,
                    over: max(left.height, right.height))
            }
        }
        return left
    }

    private mutating func operand(above precedence: Int) throws(Abandoned) -> Operand {
        try descend()
        defer { depth -= 1 }
        return try binary(precedence + 1)
    }

    /// Parses `a && b && c` as one node of any length.
    private mutating func chain(
        _ logical: LogicalOperator, _ precedence: Int, _ first: Operand
    ) throws(Abandoned) -> Operand {
        var operands = [first.expression]
        var height = first.height
        while let found = infixOperator(), found.precedence == precedence {
            if operands.count > 1, let slip = found.slip { tokens.fail(tokens.current.range, slip.what, slip.remedy) }
            tokens.advance()
            let next = try operand(above: precedence)
            operands.append(next.expression)
            height = max(height, next.height)
        }
        return try make(.logical(logical, operands), from: first.start, over: height)
    }

    private mutating func typeTest(_ left: Operand) throws(Abandoned) -> Operand {
        tokens.advance()
        if tokens.at("not") {
            tokens.fail(tokens.current.range, "there is no 'is not'", "write !(x is type)")
            tokens.advance()
        }
        guard let word = tokens.current.word else {
            try tokens.expected("the name of a type", "write it as in x is string, without quotation marks")
        }
        let type = Name(text: word, range: tokens.current.range)
        tokens.advance()
        return try make(.typeTest(left.expression, type), from: left.start, over: left.height)
    }

    /// Warns about `!a in b`, which tests whether `!a` is in b.
    private mutating func warnOfNot(before found: InfixOperator, _ left: Operand) {
        guard !left.isParenthesised, case .unary(.not, _) = left.expression.kind else { return }
        switch found.kind {
        case .logical: return
        case .binary(.equal), .binary(.notEqual): return
        default:
            tokens.findings.warn(
                left.expression.range, "'!' applies only to the operand directly after it",
                "write !(a \(tokens.quote(tokens.current.range)) b)")
        }
    }
}

extension ExpressionParser {
    /// Returns the operator at the current token. `nil` for other tokens.
    private func infixOperator() -> InfixOperator? {
        switch tokens.current.kind {
        case .symbol(let symbol): Self.infix(symbol)
        case .word("not") where isBeforeIn: Self.words["in"]
        case .word(let word): Self.words[word]
        default: nil
        }
    }

    /// Whether `in` follows, as in `a not in b`.
    private var isBeforeIn: Bool {
        var ahead = tokens.lexer
        ahead.skipBlanks()
        return ahead.position > tokens.lexer.position && ahead.peeks("in")
            && ahead.peek(2).map(Lexer.isNamePart) != true
    }

    private static func infix(_ symbol: Symbol) -> InfixOperator? {
        switch symbol {
        case .or: InfixOperator(kind: .logical(.or), precedence: 1)
        case .and: InfixOperator(kind: .logical(.and), precedence: 2)
        case .equal: InfixOperator(kind: .binary(.equal), precedence: 3)
        case .notEqual: InfixOperator(kind: .binary(.notEqual), precedence: 3)
        case .assign:
            InfixOperator(
                kind: .binary(.equal), precedence: 3, slip: ("'=' compares nothing", "write '==' to compare"))
        case .less: InfixOperator(kind: .binary(.less), precedence: 5)
        case .lessOrEqual: InfixOperator(kind: .binary(.lessOrEqual), precedence: 5)
        case .greater: InfixOperator(kind: .binary(.greater), precedence: 5)
        case .greaterOrEqual: InfixOperator(kind: .binary(.greaterOrEqual), precedence: 5)
        case .plus: InfixOperator(kind: .binary(.add), precedence: 6)
        case .minus: InfixOperator(kind: .binary(.subtract), precedence: 6)
        case .star: InfixOperator(kind: .binary(.multiply), precedence: 7)
        case .slash: InfixOperator(kind: .binary(.divide), precedence: 7)
        case .percent: InfixOperator(kind: .binary(.remainder), precedence: 7)
        default: nil
        }
    }

    private static let words: [String: InfixOperator] = [
        "in": InfixOperator(kind: .binary(.contains), precedence: 4),
        "is": InfixOperator(kind: .typeTest, precedence: 4),
        "and": InfixOperator(kind: .logical(.and), precedence: 2, slip: ("there is no 'and'", "write '&&'")),
        "AND": InfixOperator(kind: .logical(.and), precedence: 2, slip: ("there is no 'AND'", "write '&&'")),
        "or": InfixOperator(kind: .logical(.or), precedence: 1, slip: ("there is no 'or'", "write '||'")),
        "OR": InfixOperator(kind: .logical(.or), precedence: 1, slip: ("there is no 'OR'", "write '||'")),
        "instanceof": InfixOperator(
            kind: .typeTest, precedence: 4, slip: ("there is no 'instanceof'", "write 'x is string'")),
        "mod": InfixOperator(kind: .binary(.remainder), precedence: 7, slip: ("there is no 'mod'", "write '%'")),
        "div": InfixOperator(kind: .binary(.divide), precedence: 7, slip: ("there is no 'div'", "write '/'")),
    ]
}
