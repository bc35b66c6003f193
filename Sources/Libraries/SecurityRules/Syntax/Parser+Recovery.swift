extension Parser {
    /// The ';' behind a statement. Where only it is missing that is told, and reading goes on as if it stood there.
    mutating func endStatement(_ what: String) throws(Abandoned) {
        if take(.semicolon) { return }
        guard isStatementEnd else { try unexpectedAfterExpression("';'") }
        fail(place, "';' is missing behind \(what)", "end the statement with ';'")
    }

    /// Whether a statement cannot go on here.
    var isStatementEnd: Bool {
        at(.closeBrace) || current.isEnd || Self.isStatement(current)
    }

    static func isStatement(_ token: Token) -> Bool {
        guard let word = token.word else { return false }
        return ["allow", "match", "function", "let", "return", "service", "rules_version"].contains(word)
    }

    /// Goes behind the statement: behind its ';' or its block, or before what closes the block that it stands in or begins another statement
    /// on its own line.
    mutating func skipStatement() {
        var braces = 0
        var isFirst = true
        while !current.isEnd {
            if braces == 0, !isFirst, current.startsLine, Self.isStatement(current) { return }
            isFirst = false
            switch current.symbol {
            case .semicolon where braces == 0: return advance()
            case .openBrace: braces += 1
            case .closeBrace where braces == 0: return
            case .closeBrace:
                braces -= 1
                if braces == 0 { return advance() }
            default: break
            }
            advance()
        }
    }
}
