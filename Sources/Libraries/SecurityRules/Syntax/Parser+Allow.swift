extension Parser {
    /// `allow METHODS: if CONDITION;`
    mutating func allow() -> AllowSyntax? {
        let keyword = current.range
        guard count(\.allows, "allow statements", keyword) else { return nil }
        advance()
        do {
            let operations = try methods()
            let condition = try self.condition()
            try endStatement(condition == nil ? "the methods" : "the condition")
            return AllowSyntax(operations: operations, condition: condition, range: range(from: keyword.start))
        } catch {
            isIncomplete = true
            skipStatement()
            return nil
        }
    }

    private static let methodList = "there are read (get, list) and write (create, update, delete)"

    private mutating func methods() throws(Abandoned) -> RuleOperationSet {
        var operations: RuleOperationSet = []
        repeat {
            guard let word = current.word, word != "if" else {
                let remedy = at(.star) ? "all methods are read, write" : "write allow read: if ...; \(Self.methodList)"
                try expected("a method", remedy)
            }
            if let known = Self.methods[word] {
                operations.formUnion(known)
            } else {
                fail(current.range, "there is no method '\(Lexer.short(word))'", remedy(forMethod: word))
            }
            advance()
        } while take(.comma)
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
            case "all", "any": "all methods are read, write"
            case "options", "trace", "connect": "no allow names \(word.uppercased())"
            default: nil
            }
        if let meant { return "\(meant); \(Self.methodList)" }
        let nearest = self.meant(among: Self.methods.keys.sorted())
        return nearest.map { "\($0) \(Self.methodList)" } ?? Self.methodList
    }

    /// From the ':' on; nil: there is none.
    private mutating func condition() throws(Abandoned) -> Expression? {
        if at(.semicolon) { return nil }
        if at("if") {
            fail(place, "':' is missing behind the methods", "write allow read: if ...;")
        } else if at(.assign) {
            fail(current.range, "'=' stands where ':' belongs", "write allow read: if ...;")
            advance()
        } else if isStatementEnd {
            return nil
        } else {
            guard take(.colon) else {
                try expected("',', ':' or ';' behind a method", "write allow read, write: if ...;")
            }
        }
        let hasIf = at("if")
        if hasIf { advance() }
        if isStatementEnd || at(.semicolon) {
            fail(place, "the condition is missing", "write allow read: if ...;, or allow read; where everybody may")
            throw Abandoned()
        }
        if !hasIf, !current.isInvalid {
            fail(current.range, "'if' is missing before the condition", "write allow read: if ...;")
        }
        return try expression().expression
    }
}
