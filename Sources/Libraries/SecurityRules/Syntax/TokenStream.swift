internal import PrintableText

/// Leaves a statement; the reason is among the findings.
struct Abandoned: Error {}

/// The tokens of a source, one ahead, with what was found wrong so far. Stops at `RuleProblems.maximumCount` errors.
///
/// A class, because the parsers of files, patterns and expressions read from one place of the source in turn.
final class TokenStream {
    var lexer: Lexer
    var findings: RuleFindings
    /// The token to look at; the lexer stands right behind it.
    private(set) var current = Token(kind: .end, range: SourceRange(start: 0, end: 0), startsLine: false)
    /// The end of the token before it.
    private var previousEnd: Int32 = 0
    /// Whether a part is missing in the result, so that a check of the other parts would mislead.
    var isIncomplete = false
    /// Whether the rest of the source is ignored.
    private(set) var isHalted = false

    init(_ findings: RuleFindings) {
        lexer = Lexer(findings.source)
        self.findings = findings
        advance()
    }

    /// Goes to the next token.
    func advance() {
        guard !isHalted else { return }
        previousEnd = current.range.end
        current = lexer.next(&findings)
        haltIfFull()
    }

    /// Reads on from a place.
    func resume(at position: Int) {
        lexer.position = position
        let end = Int32(position)
        advance()
        previousEnd = end
    }

    /// Tells what is wrong; of one place only the first, since the rest follows from it.
    func fail(_ range: SourceRange, _ what: String, _ remedy: String) {
        guard !isHalted, findings.errors.last?.location != findings.source.location(range.start) else { return }
        findings.fail(range, what, remedy)
        haltIfFull()
    }

    private func haltIfFull() {
        if findings.errors.count >= RuleProblems.maximumCount { halt() }
    }

    /// Makes the rest of the source its end.
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

    /// Tells that something else was expected, and leaves the statement.
    func expected(_ what: String, _ remedy: String) throws(Abandoned) -> Never {
        // What is invalid was told by the lexer.
        if !current.isInvalid { fail(current.range, "expected \(what), found \(found)", remedy) }
        throw Abandoned()
    }

    func expect(_ symbol: Symbol, _ remedy: String) throws(Abandoned) {
        guard take(symbol) else { try expected("'\(symbol.rawValue)'", remedy) }
    }

    /// A range from a place to the end of what was read last.
    func range(from start: Int32) -> SourceRange {
        SourceRange(start: start, end: max(start, previousEnd))
    }

    var place: SourceRange { SourceRange(start: previousEnd, end: previousEnd) }

    /// What stands here, for a message.
    var found: String { describe(current) }

    func describe(_ token: Token) -> String {
        switch token.kind {
        case .end: "the end"
        case .string: "the text \(quote(token.range))"
        default: "'\(quote(token.range))'"
        }
    }

    /// The text of a range, short enough for a message and on one line.
    func quote(_ range: SourceRange) -> String {
        let most = 32
        let cut = SourceRange(start: range.start, end: min(range.end, range.start + Int32(most * 4)))
        let scalars = findings.source.text(cut).unicodeScalars
        let line = String(scalars.prefix(most)).map { $0.isWhitespace ? " " : String($0) }.joined()
        return PrintableText.escaped(line) + (scalars.count > most || cut.end < range.end ? "..." : "")
    }
}

extension TokenStream {
    /// Words that name nothing, since a name that is also a keyword reads as two things.
    static let reserved: Set<String> = [
        "true", "false", "null", "in", "is", "if", "let", "return", "function", "match", "allow", "service", "and",
        "or", "not", "typeof", "new", "undefined", "else", "for", "while", "var", "const",
    ]

    /// Asks whether the current word is one of those, misspelt.
    func meant(among words: [String]) -> String? {
        guard let word = current.word else { return nil }
        return NearestName.of(word, among: words).map { "did you mean \($0)?" }
    }

    /// A name that something is declared by.
    func name(of what: String) throws(Abandoned) -> Name {
        guard let word = current.word else {
            try expected("the name of \(what)", "a name is letters A to Z, digits and '_', as isOwner")
        }
        let name = Name(text: word, range: current.range)
        if Self.reserved.contains(word) {
            fail(current.range, "'\(word)' is a word of the language and cannot name \(what)", "choose another name")
        }
        advance()
        return name
    }
}

extension TokenStream {
    /// Tells what stands where an expression could have ended.
    func unexpectedAfterExpression(_ end: String) throws(Abandoned) -> Never {
        if at(.closeParenthesis) || at(.closeBracket) || at(.closeBrace) {
            fail(current.range, "\(found) closes nothing", "take it out, or open what it closes")
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
                ? "two values need an operator between them, as a && b" : "take it out, or add what belongs before it")
    }

    /// Tells that a bracket is open where something else stands.
    func unclosed(_ open: SourceRange, _ close: Symbol) throws(Abandoned) -> Never {
        let location = findings.source.location(open.start)
        try expected(
            "an operator or '\(close.rawValue)'",
            "the '\(quote(open))' of line \(location.line), column \(location.column) is open here")
    }

    /// The ';' behind a statement. Where only it is missing that is told, and reading goes on as if it stood there.
    func endStatement(_ what: String) throws(Abandoned) {
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
