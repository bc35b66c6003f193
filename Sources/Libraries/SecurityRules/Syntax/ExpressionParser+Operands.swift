extension ExpressionParser {
    /// Parses `-` and `!` before an operand.
    mutating func unary() throws(Abandoned) -> Operand {
        if tokens.at(.not) || tokens.at("not") { return try not() }
        guard tokens.at(.minus) else { return try postfix(primary()) }
        let start = tokens.current.range.start
        tokens.advance()
        // A sign belongs to the literal, since 9223372036854775808 is not valid without it.
        if let negative = try negativeLiteral(start) { return try postfix(negative) }
        return try unary(.negate, start)
    }

    private mutating func not() throws(Abandoned) -> Operand {
        let start = tokens.current.range.start
        if tokens.at("not") { tokens.fail(tokens.current.range, "there is no 'not'", "write '!'") }
        tokens.advance()
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
        switch tokens.current.kind {
        case .integer(let magnitude):
            let token = tokens.current.range
            tokens.advance()
            return try integer(magnitude, isNegative: true, token, from: start)
        case .float(let value):
            tokens.advance()
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
        tokens.fail(token, Lexer.outOfRange.what, Lexer.outOfRange.remedy)
        return try make(.integer(0), from: start)
    }

    /// Parses members, calls and indexes after an operand.
    private mutating func postfix(_ first: Operand) throws(Abandoned) -> Operand {
        var operand = first
        while true {
            if tokens.at(.dot) || isOptionalChain {
                operand = try member(operand)
            } else if tokens.at(.openBracket) {
                operand = try index(operand)
            } else if tokens.at(.openParenthesis) {
                tokens.fail(
                    tokens.current.range, "only functions and methods can be called",
                    "write an operator before '(', or remove the call")
                throw Abandoned()
            } else {
                return operand
            }
        }
    }

    /// Whether the tokens are `a?.b`. In a conditional expression, the '.' would begin a number.
    private var isOptionalChain: Bool {
        guard tokens.at(.question), tokens.lexer.peek() == UInt8(ascii: "."), let next = tokens.lexer.peek(1) else {
            return false
        }
        return Lexer.isNameStart(next)
    }

    private mutating func member(_ base: Operand) throws(Abandoned) -> Operand {
        if tokens.at(.question) {
            tokens.fail(tokens.current.range, "there is no '?.'", "write map.get('key', null) for an optional key")
            tokens.advance()
        }
        tokens.advance()
        guard let word = tokens.current.word else {
            try tokens.expected("a name after '.'", "write other keys in brackets, as map['a-b']")
        }
        let name = Name(text: word, range: tokens.current.range)
        tokens.advance()
        guard tokens.at(.openParenthesis) else {
            return try make(.member(base.expression, name), from: base.start, over: base.height)
        }
        let arguments = try arguments(of: name.text)
        return try make(
            .methodCall(base.expression, name, arguments.items), from: base.start,
            over: max(base.height, arguments.height))
    }

    private mutating func index(_ base: Operand) throws(Abandoned) -> Operand {
        tokens.advance()
        let first = try expression()
        guard tokens.take(.colon) else {
            try tokens.expect(.closeBracket, "write an index as list[i], a range as list[i:j]")
            let height = max(base.height, first.height)
            return try make(.index(base.expression, first.expression), from: base.start, over: height)
        }
        let second = try expression()
        try tokens.expect(.closeBracket, "write a range as list[i:j]")
        return try make(
            .slice(base.expression, from: first.expression, to: second.expression), from: base.start,
            over: max(base.height, first.height, second.height))
    }
}

extension ExpressionParser {
    /// Parses the start of an expression.
    mutating func primary() throws(Abandoned) -> Operand {
        let start = tokens.current.range.start
        switch tokens.current.kind {
        case .word(let word): return try namedOperand(word, start)
        case .integer(let magnitude):
            let token = tokens.current.range
            tokens.advance()
            return try integer(magnitude, isNegative: false, token, from: start)
        case .float(let value): return try literal(.float(value))
        case .string(let value): return try literal(.string(value))
        case .bytes(let value): return try literal(.bytes(value))
        case .symbol(.openParenthesis): return try parenthesised()
        case .symbol(.openBracket): return try list()
        case .symbol(.openBrace): return try map()
        case .symbol(.slash): return try rawPath()
        default: try noValue()
        }
    }

    private mutating func literal(_ kind: Expression.Kind) throws(Abandoned) -> Operand {
        let start = tokens.current.range.start
        tokens.advance()
        return try make(kind, from: start)
    }

    private mutating func namedOperand(_ word: String, _ start: Int32) throws(Abandoned) -> Operand {
        switch word {
        case "true": return try literal(.bool(true))
        case "false": return try literal(.bool(false))
        case "null": return try literal(.null)
        case "undefined":
            tokens.fail(tokens.current.range, "there is no 'undefined'", "test \"'key' in map\", or compare with null")
            return try literal(.null)
        case "typeof", "new":
            tokens.fail(tokens.current.range, "there is no '\(word)'", "test the type with 'x is string'")
            throw Abandoned()
        default: break
        }
        if TokenStream.reserved.contains(word) { try noValue() }
        let name = Name(text: word, range: tokens.current.range)
        tokens.advance()
        guard tokens.at(.openParenthesis) else { return try make(.name(word), from: start) }
        let arguments = try arguments(of: nil)
        return try make(.call(name, arguments.items), from: start, over: arguments.height)
    }

    private mutating func noValue() throws(Abandoned) -> Never {
        let remedy =
            if tokens.at(.plus) {
                "numbers have no '+' sign, and there is no '++'"
            } else if let word = tokens.current.word,
                ["if", "else", "return", "let", "var", "const", "for", "while"].contains(word)
            {
                "a condition is one expression: use 'condition ? one : other', or a function with lets"
            } else if tokens.isStatementEnd || tokens.current.isEnd || tokens.at(.semicolon)
                || tokens.at(.closeParenthesis)
            {
                "the expression is incomplete: add the missing operand, or remove the operator before it"
            } else {
                "write a value such as request.auth.uid, 'text', 1, [1, 2] or a call"
            }
        try tokens.expected("a value", remedy)
    }

    private mutating func parenthesised() throws(Abandoned) -> Operand {
        let open = tokens.current.range
        tokens.advance()
        var inner = try expression()
        guard tokens.take(.closeParenthesis) else { try tokens.unclosed(open, .closeParenthesis) }
        inner.start = open.start
        inner.isParenthesised = true
        return inner
    }

    private mutating func list() throws(Abandoned) -> Operand {
        let open = tokens.current.range
        tokens.advance()
        let elements = try items(until: .closeBracket, open, mayTrail: true)
        return try make(.list(elements.items), from: open.start, over: elements.height)
    }

    /// Parses the arguments of a call from its '('.
    ///
    /// - Parameter method: The name of a method, or `nil` for a function.
    mutating func arguments(of method: String?) throws(Abandoned) -> (items: [Expression], height: Int) {
        let open = tokens.current.range
        tokens.advance()
        if tokens.at(.slash), let method, ["matches", "replace", "split"].contains(method) { try regexLiteral() }
        return try items(until: .closeParenthesis, open, mayTrail: false)
    }

    private mutating func items(
        until close: Symbol, _ open: SourceRange, mayTrail: Bool
    ) throws(Abandoned) -> (items: [Expression], height: Int) {
        var items: [Expression] = []
        var height = 0
        if tokens.take(close) { return ([], 0) }
        repeat {
            if tokens.at(close) {
                if !mayTrail {
                    tokens.fail(tokens.current.range, "a call has no ',' after its last argument", "remove the ','")
                }
                break
            }
            let item = try expression()
            items.append(item.expression)
            height = max(height, item.height)
        } while tokens.take(.comma)
        guard tokens.take(close) else { try tokens.unclosed(open, close) }
        return (items, height)
    }

    /// Reports `{ return true; }` in place of a condition.
    private mutating func blockForCondition() throws(Abandoned) -> Never {
        tokens.fail(
            tokens.current.range, "unexpected \(tokens.found) in a condition",
            "write the condition alone, or function name() { return ...; } and call it")
        while !tokens.at(.closeBrace), !tokens.current.isEnd { tokens.advance() }
        tokens.advance()
        throw Abandoned()
    }

    private mutating func map() throws(Abandoned) -> Operand {
        let open = tokens.current.range
        tokens.advance()
        if tokens.at("return") || tokens.at("if") || tokens.at("let") { try blockForCondition() }
        var entries: [Expression.MapEntry] = []
        var height = 0
        while !tokens.at(.closeBrace) {
            let key = try expression()
            guard tokens.take(.colon) else { try tokens.expected("':'", "a map is {'key': value, 'other': value}") }
            let value = try expression()
            entries.append(Expression.MapEntry(key: key.expression, value: value.expression))
            height = max(height, key.height, value.height)
            guard tokens.take(.comma) else { break }
        }
        guard tokens.take(.closeBrace) else { try tokens.unclosed(open, .closeBrace) }
        return try make(.map(entries), from: open.start, over: height)
    }
}
