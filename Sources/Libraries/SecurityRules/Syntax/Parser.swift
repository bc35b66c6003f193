internal import PrintableText

/// Reads rules by recursive descent, one token ahead. Nothing it does goes deeper than `RuleLimits`, and it stops at
/// `RuleProblems.maximumCount` errors.
///
/// What is a slip with one meaning is told and read as what is meant; after anything else the statement is left, and reading goes on behind it.
struct Parser {
    var lexer: Lexer
    var findings: RuleFindings
    /// What is looked at; the lexer stands right behind it.
    var current = Token(kind: .end, range: SourceRange(start: 0, end: 0), startsLine: false)
    /// Where the token before it ended.
    var previousEnd: Int32 = 0
    /// How many expressions there are, and of declarations each kind.
    var expressions = 0
    var allows = 0
    var functions = 0
    var matches = 0
    /// How many brackets, operators and calls stand around what is read.
    var depth = 0
    /// A part is missing in the result, so that what other parts say of it cannot be checked.
    var isIncomplete = false
    /// Nothing more is read.
    var isHalted = false

    /// Leaves a statement; what is wrong was told.
    struct Abandoned: Error {}

    private init(_ findings: RuleFindings) {
        lexer = Lexer(findings.source)
        self.findings = findings
        advance()
    }

    /// A rules file; nil where nothing usable came of it, with errors in the findings.
    static func ruleset(_ findings: inout RuleFindings) -> RulesetSyntax? {
        guard SourceCheck.check(&findings) else { return nil }
        var parser = Parser(findings)
        let ruleset = parser.file()
        findings = parser.findings
        return parser.isIncomplete || parser.isHalted ? nil : ruleset
    }

    /// A source that is one expression; nil where nothing usable came of it, with errors in the findings.
    static func condition(_ findings: inout RuleFindings) -> Expression? {
        guard SourceCheck.check(&findings) else { return nil }
        var parser = Parser(findings)
        let expression = try? parser.wholeExpression()
        findings = parser.findings
        return parser.isHalted ? nil : expression
    }

    /// Goes to the next token.
    mutating func advance() {
        guard !isHalted else { return }
        previousEnd = current.range.end
        current = lexer.next(&findings)
        haltIfFull()
    }

    /// Reads on from a place.
    mutating func resume(at position: Int) {
        lexer.position = position
        let end = Int32(position)
        advance()
        previousEnd = end
    }

    /// Tells what is wrong; of one place only the first, since the rest follows from it.
    mutating func fail(_ range: SourceRange, _ what: String, _ remedy: String) {
        guard !isHalted, findings.errors.last?.location != findings.source.location(range.start) else { return }
        findings.fail(range, what, remedy)
        haltIfFull()
    }

    private mutating func haltIfFull() {
        if findings.errors.count >= RuleProblems.maximumCount { halt() }
    }

    /// Makes the rest of the source its end.
    mutating func halt() {
        isHalted = true
        lexer.position = lexer.bytes.count
        let end = Int32(lexer.position)
        current = Token(kind: .end, range: SourceRange(start: end, end: end), startsLine: false)
    }
}

extension Parser {
    func at(_ symbol: Symbol) -> Bool { current.symbol == symbol }

    func at(_ word: StaticString) -> Bool {
        guard case .word(let text) = current.kind else { return false }
        return text.utf8.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    mutating func take(_ symbol: Symbol) -> Bool {
        guard at(symbol) else { return false }
        advance()
        return true
    }

    /// Tells that something else was expected, and leaves the statement.
    mutating func expected(_ what: String, _ remedy: String) throws(Abandoned) -> Never {
        // What is invalid was told by the lexer.
        if !current.isInvalid { fail(current.range, "expected \(what), found \(found)", remedy) }
        throw Abandoned()
    }

    mutating func expect(_ symbol: Symbol, _ remedy: String) throws(Abandoned) {
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
