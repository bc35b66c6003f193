extension Parser {
    /// What begins an expression.
    mutating func primary() throws(Abandoned) -> Operand {
        let start = current.range.start
        switch current.kind {
        case .word(let word): return try namedOperand(word, start)
        case .integer(let magnitude):
            let token = current.range
            advance()
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
        let start = current.range.start
        advance()
        return try make(kind, from: start)
    }

    private mutating func namedOperand(_ word: String, _ start: Int32) throws(Abandoned) -> Operand {
        switch word {
        case "true": return try literal(.bool(true))
        case "false": return try literal(.bool(false))
        case "null": return try literal(.null)
        case "undefined":
            fail(current.range, "there is no 'undefined'", "ask \"'key' in map\", or compare with null")
            return try literal(.null)
        case "typeof", "new":
            fail(current.range, "there is no '\(word)'", "ask for a type with 'x is string'")
            throw Abandoned()
        default: break
        }
        if Self.reserved.contains(word) { try noValue() }
        let name = Name(text: word, range: current.range)
        advance()
        guard at(.openParenthesis) else { return try make(.name(word), from: start) }
        let arguments = try arguments(of: nil)
        return try make(.call(name, arguments.items), from: start, over: arguments.height)
    }

    private mutating func noValue() throws(Abandoned) -> Never {
        let remedy =
            if at(.plus) {
                "numbers have no '+' before them, and nothing is counted up with '++'"
            } else if let word = current.word,
                ["if", "else", "return", "let", "var", "const", "for", "while"].contains(word)
            {
                "a condition is one expression: 'condition ? one : other' chooses, functions have lets"
            } else if isStatementEnd || current.isEnd || at(.semicolon) || at(.closeParenthesis) {
                "the expression ends too early: add what is missing, or take out the operator before it"
            } else {
                "a value is request.auth.uid, 'text', 1, [1, 2], a call and the like"
            }
        try expected("a value", remedy)
    }

    private mutating func parenthesised() throws(Abandoned) -> Operand {
        let open = current.range
        advance()
        var inner = try expression()
        guard take(.closeParenthesis) else { try unclosed(open, .closeParenthesis) }
        inner.start = open.start
        inner.isParenthesised = true
        return inner
    }

    /// Tells that a bracket is open where something else stands.
    mutating func unclosed(_ open: SourceRange, _ close: Symbol) throws(Abandoned) -> Never {
        let location = findings.source.location(open.start)
        try expected(
            "an operator or '\(close.rawValue)'",
            "the '\(quote(open))' of line \(location.line), column \(location.column) is open here")
    }

    private mutating func list() throws(Abandoned) -> Operand {
        let open = current.range
        advance()
        let elements = try items(until: .closeBracket, open, mayTrail: true)
        return try make(.list(elements.items), from: open.start, over: elements.height)
    }

    /// The arguments of a call, from the '(' on.
    ///
    /// - Parameter method: its name, where it is one.
    mutating func arguments(of method: String?) throws(Abandoned) -> (items: [Expression], height: Int) {
        let open = current.range
        advance()
        if at(.slash), let method, ["matches", "replace", "split"].contains(method) { try regexLiteral() }
        return try items(until: .closeParenthesis, open, mayTrail: false)
    }

    private mutating func items(
        until close: Symbol, _ open: SourceRange, mayTrail: Bool
    ) throws(Abandoned) -> (items: [Expression], height: Int) {
        var items: [Expression] = []
        var height = 0
        if take(close) { return ([], 0) }
        repeat {
            if at(close) {
                if !mayTrail { fail(current.range, "a call has no ',' behind its last argument", "take the ',' out") }
                break
            }
            let item = try expression()
            items.append(item.expression)
            height = max(height, item.height)
        } while take(.comma)
        guard take(close) else { try unclosed(open, close) }
        return (items, height)
    }

    /// `{ return true; }` where a condition stands.
    private mutating func blockForCondition() throws(Abandoned) -> Never {
        fail(
            current.range, "\(found) stands in a condition",
            "write the condition alone, or function name() { return ...; } and call it")
        while !at(.closeBrace), !current.isEnd { advance() }
        advance()
        throw Abandoned()
    }

    private mutating func map() throws(Abandoned) -> Operand {
        let open = current.range
        advance()
        if at("return") || at("if") || at("let") { try blockForCondition() }
        var entries: [Expression.MapEntry] = []
        var height = 0
        while !at(.closeBrace) {
            let key = try expression()
            guard take(.colon) else { try expected("':'", "a map is {'key': value, 'other': value}") }
            let value = try expression()
            entries.append(Expression.MapEntry(key: key.expression, value: value.expression))
            height = max(height, key.height, value.height)
            guard take(.comma) else { break }
        }
        guard take(.closeBrace) else { try unclosed(open, .closeBrace) }
        return try make(.map(entries), from: open.start, over: height)
    }
}
