extension RulesetParser {
    /// `allow METHODS: if CONDITION;`
    mutating func allow() -> AllowSyntax? {
        let keyword = tokens.current.range
        guard count(\.allows, "allow statements", keyword) else { return nil }
        tokens.advance()
        do {
            let operations = try methods()
            let condition = try self.condition()
            try tokens.endStatement(condition == nil ? "the methods" : "the condition")
            return AllowSyntax(operations: operations, condition: condition, range: tokens.range(from: keyword.start))
        } catch {
            tokens.isIncomplete = true
            tokens.skipStatement()
            return nil
        }
    }

    private static let methodList = "the methods are read (get, list) and write (create, update, delete)"

    private mutating func methods() throws(Abandoned) -> RuleOperationSet {
        var operations: RuleOperationSet = []
        repeat {
            guard let word = tokens.current.word, word != "if" else {
                let remedy =
                    tokens.at(.star)
                    ? "for all methods, write read, write" : "write allow read: if ...; \(Self.methodList)"
                try tokens.expected("a method", remedy)
            }
            if let known = Self.methods[word] {
                operations.formUnion(known)
            } else {
                tokens.fail(tokens.current.range, "there is no method '\(Lexer.short(word))'", remedy(forMethod: word))
            }
            tokens.advance()
        } while tokens.take(.comma)
        return operations
    }

    private static let methods: [String: RuleOperationSet] = [
        "read": .read, "write": .write, "get": RuleOperationSet(.get), "list": RuleOperationSet(.list),
        "create": RuleOperationSet(.create), "update": RuleOperationSet(.update), "delete": RuleOperationSet(.delete),
    ]

    private func remedy(forMethod word: String) -> String {
        let meant: String? =
            switch word.lowercased() {
            case "get", "head": "GET and HEAD are get (list, where the path ends in '/')"
            case "post": "POST is create"
            case "put", "patch": "PUT and PATCH are update"
            case "delete": "DELETE is delete"
            case "all", "any": "for all methods, write read, write"
            case "options", "trace", "connect": "allow does not support \(word.uppercased())"
            default: nil
            }
        if let meant { return "\(meant); \(Self.methodList)" }
        let nearest = tokens.meant(among: Self.methods.keys.sorted())
        return nearest.map { "\($0) \(Self.methodList)" } ?? Self.methodList
    }

    /// Parses the condition from its ':'. `nil` without a condition.
    private mutating func condition() throws(Abandoned) -> Expression? {
        if tokens.at(.semicolon) { return nil }
        if tokens.at("if") {
            tokens.fail(tokens.place, "':' is missing after the methods", "write allow read: if ...;")
        } else if tokens.at(.assign) {
            tokens.fail(tokens.current.range, "expected ':', found '='", "write allow read: if ...;")
            tokens.advance()
        } else if tokens.isStatementEnd {
            return nil
        } else {
            guard tokens.take(.colon) else {
                try tokens.expected("',', ':' or ';' after a method", "write allow read, write: if ...;")
            }
        }
        let hasIf = tokens.at("if")
        if hasIf { tokens.advance() }
        if tokens.isStatementEnd || tokens.at(.semicolon) {
            tokens.fail(
                tokens.place, "the condition is missing",
                "write allow read: if ...;, or allow read; to permit all requests")
            throw Abandoned()
        }
        if !hasIf, !tokens.current.isInvalid {
            tokens.fail(tokens.current.range, "'if' is missing before the condition", "write allow read: if ...;")
        }
        return try expressions.expression().expression
    }
}

extension RulesetParser {
    /// `function name(parameters) { let ...; return ...; }`
    mutating func function() -> FunctionSyntax? {
        let keyword = tokens.current.range
        guard count(\.functions, "functions", keyword) else { return nil }
        tokens.advance()
        do {
            let name = try tokens.name(of: "a function")
            let parameters = try parameters()
            let range = tokens.range(from: keyword.start)
            guard let body = try body(name) else { return nil }
            return FunctionSyntax(
                name: name, parameters: parameters, lets: body.lets, result: body.result, range: range)
        } catch {
            tokens.isIncomplete = true
            tokens.skipStatement()
            return nil
        }
    }

    private mutating func parameters() throws(Abandoned) -> [Name] {
        try tokens.expect(.openParenthesis, "write function name(a, b) { return ...; }")
        var names: [Name] = []
        if tokens.take(.closeParenthesis) { return names }
        repeat {
            let name = try tokens.name(of: "a parameter")
            if names.count == RuleLimits.parameters {
                tokens.fail(
                    name.range, "a function has at most \(RuleLimits.parameters) parameters",
                    "pass a map, or split the function")
            }
            names.append(name)
        } while tokens.take(.comma)
        try tokens.expect(.closeParenthesis, "write parameters as names separated by ',', without types and defaults")
        return names
    }

    private mutating func body(_ name: Name) throws(Abandoned) -> (lets: [LetSyntax], result: Expression)? {
        let open = tokens.current.range
        try tokens.expect(.openBrace, "write function name(a, b) { return ...; }")
        var body = Body()
        while !tokens.at(.closeBrace), !tokens.current.isEnd, !isOutsideStatement {
            let before = tokens.current.range.start
            do {
                try statement(&body)
            } catch {
                tokens.isIncomplete = true
                tokens.skipStatement()
            }
            if tokens.current.range.start == before { tokens.advance() }
        }
        close(open)
        if !body.hasReturn, !body.isExplained {
            tokens.fail(name.range, "this function has no return", "end it with return ...;")
        }
        if body.result == nil { tokens.isIncomplete = true }
        return body.result.map { (body.lets, $0) }
    }

    /// The statements of a function so far.
    private struct Body {
        var lets: [LetSyntax] = []
        var result: Expression?
        var hasReturn = false
        /// Whether a missing or repeated return has been explained.
        var isExplained = false
    }

    /// Whether a statement begins that is not valid in a function, so its '}' is missing.
    private var isOutsideStatement: Bool {
        tokens.current.startsLine
            && (tokens.at("allow") || tokens.at("match") || tokens.at("function") || tokens.at("service"))
    }

    private mutating func statement(_ body: inout Body) throws(Abandoned) {
        if tokens.at("let") || tokens.at("var") || tokens.at("const") { return try letStatement(&body) }
        if tokens.at("return") { return try returnStatement(&body) }
        if tokens.at(.semicolon) { return straySemicolon() }
        try badStatement(&body)
    }

    private mutating func returnStatement(_ body: inout Body) throws(Abandoned) {
        if body.hasReturn, !body.isExplained {
            tokens.fail(
                tokens.current.range, "a function has exactly one return",
                "remove this one; use 'condition ? one : other'")
        }
        body.hasReturn = true
        tokens.advance()
        let value = try expressions.expression().expression
        body.result = body.result ?? value
        try tokens.endStatement("the result")
    }

    private mutating func letStatement(_ body: inout Body) throws(Abandoned) {
        let keyword = tokens.current.range
        if body.hasReturn { tokens.fail(keyword, "unexpected \(tokens.found) after return", "move it before return") }
        if !tokens.at("let") { tokens.fail(keyword, "there is no \(tokens.quote(keyword))", "write let name = value;") }
        if body.lets.count == RuleLimits.lets {
            tokens.fail(keyword, "a function has at most \(RuleLimits.lets) lets", "split the function")
        }
        tokens.advance()
        let name = try tokens.name(of: "a let")
        try tokens.expect(.assign, "write let \(Lexer.short(name.text)) = value;")
        let value = try expressions.expression().expression
        body.lets.append(LetSyntax(name: name, value: value))
        try tokens.endStatement("the value")
    }

    private mutating func badStatement(_ body: inout Body) throws(Abandoned) -> Never {
        if tokens.at("if") || tokens.at("else") || tokens.at("for") || tokens.at("while") || tokens.at("switch") {
            if !body.isExplained {
                tokens.fail(
                    tokens.current.range, "there is no \(tokens.quote(tokens.current.range)) in a function",
                    "write lets and one return; use 'condition ? one : other'")
            }
            body.isExplained = true
        } else if isAssignment {
            tokens.fail(
                tokens.current.range, "'let' is missing", "write let \(tokens.quote(tokens.current.range)) = value;")
        } else if !body.hasReturn, !body.isExplained, !tokens.current.isInvalid,
            !TokenStream.isStatement(tokens.current)
        {
            let nearest = isBeforeValue ? tokens.meant(among: ["return", "let"]) : nil
            tokens.fail(
                tokens.current.range, "'return' is missing",
                nearest ?? "a function consists of lets followed by return ...;")
            body.isExplained = true
        } else {
            try tokens.expected(
                body.hasReturn ? "'}'" : "let or return", "a function consists of lets followed by one return ...;")
        }
        throw Abandoned()
    }

    /// Whether a word follows, which is not valid after a name.
    private var isBeforeValue: Bool {
        var ahead = tokens.lexer
        ahead.skipBlanks()
        return ahead.peek().map(Lexer.isNameStart) == true
    }

    private var isAssignment: Bool {
        guard tokens.current.word != nil else { return false }
        var ahead = tokens.lexer
        ahead.skipBlanks()
        return ahead.peek() == UInt8(ascii: "=") && ahead.peek(1) != UInt8(ascii: "=")
    }
}
