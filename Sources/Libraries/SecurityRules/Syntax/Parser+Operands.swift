extension Parser {
    /// `-` and `!` before an operand.
    mutating func unary() throws(Abandoned) -> Operand {
        if at(.not) || at("not") { return try not() }
        guard at(.minus) else { return try postfix(primary()) }
        let start = current.range.start
        advance()
        // A sign belongs to the literal: 9223372036854775808 alone is none.
        if let negative = try negativeLiteral(start) { return try postfix(negative) }
        return try unary(.negate, start)
    }

    private mutating func not() throws(Abandoned) -> Operand {
        let start = current.range.start
        if at("not") { fail(current.range, "there is no 'not'", "write '!'") }
        advance()
        return try unary(.not, start)
    }

    private mutating func unary(_ unary: UnaryOperator, _ start: Int32) throws(Abandoned) -> Operand {
        let operand = try unaryOperand()
        return try make(.unary(unary, operand.expression), from: start, over: operand.height)
    }

    private mutating func unaryOperand() throws(Abandoned) -> Operand {
        try descend()
        defer { depth -= 1 }
        return try unary()
    }

    private mutating func negativeLiteral(_ start: Int32) throws(Abandoned) -> Operand? {
        switch current.kind {
        case .integer(let magnitude):
            let token = current.range
            advance()
            return try integer(magnitude, isNegative: true, token, from: start)
        case .float(let value):
            advance()
            return try make(.float(-value), from: start)
        default: return nil
        }
    }

    mutating func integer(
        _ magnitude: UInt64, isNegative: Bool, _ token: SourceRange, from start: Int32
    ) throws(Abandoned) -> Operand {
        if isNegative, magnitude <= UInt64(Int64.max) + 1 {
            return try make(.integer(Int64(truncatingIfNeeded: 0 &- magnitude)), from: start)
        }
        if !isNegative, let value = Int64(exactly: magnitude) { return try make(.integer(value), from: start) }
        fail(token, Lexer.outOfRange.what, Lexer.outOfRange.remedy)
        return try make(.integer(0), from: start)
    }

    /// Members, calls and indexes behind an operand.
    private mutating func postfix(_ first: Operand) throws(Abandoned) -> Operand {
        var operand = first
        while true {
            if at(.dot) || isOptionalChain {
                operand = try member(operand)
            } else if at(.openBracket) {
                operand = try index(operand)
            } else if at(.openParenthesis) {
                fail(
                    current.range, "only names and methods are called",
                    "put an operator before '(', or take the call out")
                throw Abandoned()
            } else {
                return operand
            }
        }
    }

    /// `a?.b`, which no choice looks like: its '.' would begin a number.
    private var isOptionalChain: Bool {
        guard at(.question), lexer.peek() == UInt8(ascii: "."), let next = lexer.peek(1) else { return false }
        return Lexer.isNameStart(next)
    }

    private mutating func member(_ base: Operand) throws(Abandoned) -> Operand {
        if at(.question) {
            fail(current.range, "there is no '?.'", "write map.get('key', null) for what may be missing")
            advance()
        }
        advance()
        guard let word = current.word else {
            try expected("a name after '.'", "other keys are written in brackets, as map['a-b']")
        }
        let name = Name(text: word, range: current.range)
        advance()
        guard at(.openParenthesis) else {
            return try make(.member(base.expression, name), from: base.start, over: base.height)
        }
        let arguments = try arguments(of: name.text)
        return try make(
            .methodCall(base.expression, name, arguments.items), from: base.start,
            over: max(base.height, arguments.height))
    }

    private mutating func index(_ base: Operand) throws(Abandoned) -> Operand {
        advance()
        let first = try expression()
        guard take(.colon) else {
            try expect(.closeBracket, "an index is list[i], a range list[i:j]")
            let height = max(base.height, first.height)
            return try make(.index(base.expression, first.expression), from: base.start, over: height)
        }
        let second = try expression()
        try expect(.closeBracket, "a range is list[i:j]")
        return try make(
            .slice(base.expression, from: first.expression, to: second.expression), from: base.start,
            over: max(base.height, first.height, second.height))
    }
}
