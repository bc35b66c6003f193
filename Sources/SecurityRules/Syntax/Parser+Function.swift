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
        var lets: [LetSyntax] = []
        var result: Expression?
        var hasReturn = false
        while !at(.closeBrace), !current.isEnd, !isOutsideStatement {
            let before = current.range.start
            do {
                try bodyStatement(&lets, &result, &hasReturn)
            } catch {
                isIncomplete = true
                skipStatement()
            }
            if current.range.start == before { advance() }
        }
        close(open)
        if !hasReturn {
            fail(name.range, "this function returns nothing", "end it with return ...;")
        }
        if result == nil { isIncomplete = true }
        return result.map { (lets, $0) }
    }

    /// Whether a statement begins here that no function has: its '}' was forgotten.
    private var isOutsideStatement: Bool {
        current.startsLine && (at("allow") || at("match") || at("function") || at("service"))
    }

    private mutating func bodyStatement(
        _ lets: inout [LetSyntax], _ result: inout Expression?, _ hasReturn: inout Bool
    ) throws(Abandoned) {
        if at("let") || at("var") || at("const") {
            if hasReturn { fail(current.range, "let stands behind return", "put it before") }
            return try letStatement(&lets)
        }
        if at("return") {
            if hasReturn {
                fail(
                    current.range, "a function has one return",
                    "take this one out; write 'condition ? one : other' to choose")
            }
            hasReturn = true
            advance()
            let value = try expression().expression
            result = result ?? value
            return try endStatement("the result")
        }
        try badBodyStatement(&hasReturn)
    }

    private mutating func letStatement(_ lets: inout [LetSyntax]) throws(Abandoned) {
        let keyword = current.range
        if !at("let") { fail(keyword, "there is no \(found.filter { $0 != "'" })", "write let name = value;") }
        if lets.count == RuleLimits.lets {
            fail(keyword, "a function has at most \(RuleLimits.lets) lets", "split the function")
        }
        advance()
        let name = try name(of: "a let")
        try expect(.assign, "write let \(Lexer.short(name.text)) = value;")
        let value = try expression().expression
        lets.append(LetSyntax(name: name, value: value))
        try endStatement("the value")
    }

    private mutating func badBodyStatement(_ hasReturn: inout Bool) throws(Abandoned) -> Never {
        if at("if") || at("else") || at("for") || at("while") || at("switch") {
            fail(
                current.range, "there is no \(current.word ?? "such") in a function",
                "write lets and one return; 'condition ? one : other' chooses")
        } else if !hasReturn, current.word != nil, !at("allow"), !at("match"), !at("function") {
            fail(current.range, "'return' is missing", "a function is lets and then return ...;")
            hasReturn = true
        } else {
            try expected(hasReturn ? "'}'" : "let or return", "a function is lets and then one return ...;")
        }
        throw Abandoned()
    }
}
