internal import PrintableText

/// Ends the parsing of a statement. The error is in the findings.
struct Abandoned: Error {}

/// The tokens of a source with one token of lookahead, and the findings so far. It stops at
/// `RuleProblems.maximumCount` errors.
///
/// A class, because the parsers of files, patterns and expressions read from one source in turn.
final class TokenStream {
    var lexer: Lexer
    var findings: RuleFindings
    /// The current token. The lexer is directly after it.
    private(set) var current = Token(kind: .end, range: SourceRange(start: 0, end: 0), startsLine: false)
    /// The end of the previous token.
    private var previousEnd: Int32 = 0
    /// Whether a part of the result is missing, so that checks of the other parts would mislead.
    var isIncomplete = false
    /// Whether the rest of the source is ignored.
    private(set) var isHalted = false

    init(_ findings: RuleFindings) {
        lexer = Lexer(findings.source)
        self.findings = findings
        advance()
    }

    /// Advances to the next token.
    func advance() {
        guard !isHalted else { return }
        previousEnd = current.range.end
        current = lexer.next(&findings)
        haltIfFull()
    }

    /// Continues at a position.
    func resume(at position: Int) {
        lexer.position = position
        let end = Int32(position)
        advance()
        previousEnd = end
    }

    /// Reports an error. Only the first one at each location counts, since others follow from it.
    func fail(_ range: SourceRange, _ what: String, _ remedy: String) {
        guard !isHalted, findings.errors.last?.location != findings.source.location(range.start) else { return }
        findings.fail(range, what, remedy)
        haltIfFull()
    }

    private func haltIfFull() {
        if findings.errors.count >= RuleProblems.maximumCount { halt() }
    }

    /// Skips the rest of the source.
    func halt() {
        isHalted = true
        lexer.position = lexer.bytes.count
        let end = Int32(lexer.position)
        current = Token(kind: .end, range: SourceRange(start: end, end: end), startsLine: false)
    }
}

extension TokenStream {
    func at(_ symbol: Symbol) -> Bool { current.symbol == symbol }

    func at(_ word: StaticString) -> Bool {
        guard case .word(let text) = current.kind else { return false }
        return text.utf8.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    func take(_ symbol: Symbol) -> Bool {
        guard at(symbol) else { return false }
        advance()
        return true
    }

    /// Reports an unexpected token and ends the statement.
    func expected(_ what: String, _ remedy: String) throws(Abandoned) -> Never {
        // The lexer has reported invalid tokens.
        if !current.isInvalid { fail(current.range, "expected \(what), found \(found)", remedy) }
        throw Abandoned()
    }

    func expect(_ symbol: Symbol, _ remedy: String) throws(Abandoned) {
        guard take(symbol) else { try expected("'\(symbol.rawValue)'", remedy) }
    }

    /// Returns the range from a position to the end of the previous token.
    func range(from start: Int32) -> SourceRange {
        SourceRange(start: start, end: max(start, previousEnd))
    }

    var place: SourceRange { SourceRange(start: previousEnd, end: previousEnd) }

    /// The current token for a message.
    var found: String { describe(current) }

    func describe(_ token: Token) -> String {
        switch token.kind {
        case .end: "the end"
        case .string: "the string \(quote(token.range))"
        default: "'\(quote(token.range))'"
        }
    }

    /// Returns the text of a range for a message: shortened, on one line.
    func quote(_ range: SourceRange) -> String {
        let most = 32
        let cut = SourceRange(start: range.start, end: min(range.end, range.start + Int32(most * 4)))
        let scalars = findings.source.text(cut).unicodeScalars
        let line = String(scalars.prefix(most)).map { $0.isWhitespace ? " " : String($0) }.joined()
        return PrintableText.escaped(line) + (scalars.count > most || cut.end < range.end ? "..." : "")
    }
}

extension TokenStream {
    /// Words that cannot be names, since a name that is also a keyword is ambiguous.
    static let reserved: Set<String> = [
        "true", "false", "null", "in", "is", "if", "let", "return", "function", "match", "allow", "service", "and",
        "or", "not", "typeof", "new", "undefined", "else", "for", "while", "var", "const",
    ]

    /// Returns a suggestion if the current word resembles one of `words`.
    func meant(among words: [String]) -> String? {
        guard let word = current.word else { return nil }
        return NearestName.of(word, among: words).map { "did you mean \($0)?" }
    }

    /// Reads the name of a declaration.
    func name(of what: String) throws(Abandoned) -> Name {
        guard let word = current.word else {
            try expected("the name of \(what)", "a name consists of letters A to Z, digits and '_', as in isOwner")
        }
        let name = Name(text: word, range: current.range)
        if Self.reserved.contains(word) {
            fail(current.range, "'\(word)' is a reserved word and cannot name \(what)", "choose another name")
        }
        advance()
        return name
    }
}

extension TokenStream {
    /// Reports a token that cannot follow an expression.
    func unexpectedAfterExpression(_ end: String) throws(Abandoned) -> Never {
        if at(.closeParenthesis) || at(.closeBracket) || at(.closeBrace) {
            let open = at(.closeParenthesis) ? "(" : at(.closeBracket) ? "[" : "{"
            fail(current.range, "unmatched \(found)", "remove it, or add the '\(open)' that it closes")
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
                ? "write an operator between two values, as in a && b" : "remove it, or add the missing part before it")
    }

    /// Reports an unclosed bracket.
    func unclosed(_ open: SourceRange, _ close: Symbol) throws(Abandoned) -> Never {
        let location = findings.source.location(open.start)
        try expected(
            "an operator or '\(close.rawValue)'",
            "the '\(quote(open))' of line \(location.line), column \(location.column) is not closed")
    }

    /// Reads the ';' after a statement. If only it is missing, reports that and continues.
    func endStatement(_ what: String) throws(Abandoned) {
        if take(.semicolon) { return }
        guard isStatementEnd else { try unexpectedAfterExpression("';'") }
        fail(place, "';' is missing after \(what)", "end the statement with ';'")
    }

    /// Whether the statement must end here.
    var isStatementEnd: Bool {
        at(.closeBrace) || current.isEnd || Self.isStatement(current)
    }

    static func isStatement(_ token: Token) -> Bool {
        guard let word = token.word else { return false }
        return ["allow", "match", "function", "let", "return", "service", "rules_version"].contains(word)
    }

    /// Skips a statement: to after its ';' or its block, or to the end of the enclosing block or a statement on a new
    /// line.
    func skipStatement() {
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
