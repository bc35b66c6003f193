extension Parser {
    /// `function name(parameters) { let ...; return ...; }`
    mutating func function() -> FunctionSyntax? {
        let keyword = current.range
        guard count(\.functions, "functions", keyword) else { return nil }
        advance()
        do {
            let name = try name(of: "a function")
            let parameters = try parameters()
            let range = range(from: keyword.start)
            guard let body = try body(name) else { return nil }
            return FunctionSyntax(
                name: name, parameters: parameters, lets: body.lets, result: body.result, range: range)
        } catch {
            isIncomplete = true
            skipStatement()
            return nil
        }
    }

    private mutating func parameters() throws(Abandoned) -> [Name] {
        try expect(.openParenthesis, "write function name(a, b) { return ...; }")
        var names: [Name] = []
        if take(.closeParenthesis) { return names }
        repeat {
            let name = try name(of: "a parameter")
            if names.count == RuleLimits.parameters {
                fail(
                    name.range, "a function has at most \(RuleLimits.parameters) parameters",
                    "pass a map, or split the function")
            }
            names.append(name)
        } while take(.comma)
        try expect(.closeParenthesis, "parameters are names with ',' between, without types and defaults")
        return names
    }

    private mutating func body(_ name: Name) throws(Abandoned) -> (lets: [LetSyntax], result: Expression)? {
        let open = current.range
        try expect(.openBrace, "write function name(a, b) { return ...; }")
        var body = Body()
        while !at(.closeBrace), !current.isEnd, !isOutsideStatement {
            let before = current.range.start
            do {
                try statement(&body)
            } catch {
                isIncomplete = true
                skipStatement()
            }
            if current.range.start == before { advance() }
        }
        close(open)
        if !body.hasReturn, !body.isExplained {
            fail(name.range, "this function returns nothing", "end it with return ...;")
        }
        if body.result == nil { isIncomplete = true }
        return body.result.map { (body.lets, $0) }
    }

    /// What a function's block has so far.
    private struct Body {
        var lets: [LetSyntax] = []
        var result: Expression?
        var hasReturn = false
        /// Why it has no return, or more than one, was told.
        var isExplained = false
    }

    /// Whether a statement begins here that no function has: its '}' was forgotten.
    private var isOutsideStatement: Bool {
        current.startsLine && (at("allow") || at("match") || at("function") || at("service"))
    }

    private mutating func statement(_ body: inout Body) throws(Abandoned) {
        if at("let") || at("var") || at("const") { return try letStatement(&body) }
        if at("return") { return try returnStatement(&body) }
        if at(.semicolon) { return straySemicolon() }
        try badStatement(&body)
    }

    private mutating func returnStatement(_ body: inout Body) throws(Abandoned) {
        if body.hasReturn, !body.isExplained {
            fail(current.range, "a function has one return", "take this one out; 'condition ? one : other' chooses")
        }
        body.hasReturn = true
        advance()
        let value = try expression().expression
        body.result = body.result ?? value
        try endStatement("the result")
    }

    private mutating func letStatement(_ body: inout Body) throws(Abandoned) {
        let keyword = current.range
        if body.hasReturn { fail(keyword, "\(found) stands behind return", "put it before") }
        if !at("let") { fail(keyword, "there is no \(quote(keyword))", "write let name = value;") }
        if body.lets.count == RuleLimits.lets {
            fail(keyword, "a function has at most \(RuleLimits.lets) lets", "split the function")
        }
        advance()
        let name = try name(of: "a let")
        try expect(.assign, "write let \(Lexer.short(name.text)) = value;")
        let value = try expression().expression
        body.lets.append(LetSyntax(name: name, value: value))
        try endStatement("the value")
    }

    private mutating func badStatement(_ body: inout Body) throws(Abandoned) -> Never {
        if at("if") || at("else") || at("for") || at("while") || at("switch") {
            if !body.isExplained {
                fail(
                    current.range, "there is no \(quote(current.range)) in a function",
                    "write lets and one return; 'condition ? one : other' chooses")
            }
            body.isExplained = true
        } else if isAssignment {
            fail(current.range, "'let' is missing", "write let \(quote(current.range)) = value;")
        } else if !body.hasReturn, !body.isExplained, !current.isInvalid, !Self.isStatement(current) {
            let nearest = isBeforeValue ? meant(among: ["return", "let"]) : nil
            fail(current.range, "'return' is missing", nearest ?? "a function is lets and then return ...;")
            body.isExplained = true
        } else {
            try expected(body.hasReturn ? "'}'" : "let or return", "a function is lets and then one return ...;")
        }
        throw Abandoned()
    }

    /// Whether a word follows, as none does behind a name.
    private var isBeforeValue: Bool {
        var ahead = lexer
        ahead.skipBlanks()
        return ahead.peek().map(Lexer.isNameStart) == true
    }

    private var isAssignment: Bool {
        guard current.word != nil else { return false }
        var ahead = lexer
        ahead.skipBlanks()
        return ahead.peek() == UInt8(ascii: "=") && ahead.peek(1) != UInt8(ascii: "=")
    }
}
