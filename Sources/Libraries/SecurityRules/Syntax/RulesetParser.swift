/// A recursive descent parser of rules files.
///
/// A mistake with one possible meaning is reported and read as that meaning. After other errors, the parser skips the
/// statement.
struct RulesetParser {
    let tokens: TokenStream
    var expressions: ExpressionParser
    /// The numbers of declarations by kind.
    var allows = 0
    var functions = 0
    private var matches = 0

    private init(_ tokens: TokenStream) {
        self.tokens = tokens
        expressions = ExpressionParser(tokens)
    }

    /// Parses a rules file. `nil` if the result is unusable, with errors in the findings.
    static func parse(_ findings: inout RuleFindings) -> RulesetSyntax? {
        guard SourceCheck.check(&findings) else { return nil }
        let tokens = TokenStream(findings)
        var parser = RulesetParser(tokens)
        let ruleset = parser.file()
        findings = tokens.findings
        return tokens.isIncomplete || tokens.isHalted ? nil : ruleset
    }

    /// `rules_version = '2'; service gatehouse.http { ... }`
    private mutating func file() -> RulesetSyntax? {
        let start = tokens.current.range.start
        version()
        var services: [Block] = []
        while !tokens.current.isEnd {
            let before = tokens.current.range.start
            if tokens.at("service") {
                let word = tokens.current.range
                if let block = service() {
                    if !services.isEmpty {
                        tokens.fail(
                            word, "a file has exactly one service block",
                            "move its match blocks and functions to the first")
                    }
                    services.append(block)
                }
            } else {
                topLevel(hasService: !services.isEmpty)
            }
            if tokens.current.range.start == before { tokens.advance() }
        }
        guard let block = services.first else {
            if tokens.findings.isUsable {
                tokens.fail(
                    tokens.place, "there is no service block",
                    "write service gatehouse.http { match /path { allow read: if ...; } }")
            }
            return nil
        }
        return RulesetSyntax(functions: block.functions, matches: block.matches, range: tokens.range(from: start))
    }

    private static let versionLine = "rules_version = '2';"

    private mutating func version() {
        if tokens.at(.openBrace) {
            return tokens.fail(
                tokens.current.range, "this is JSON, the format of Realtime Database rules",
                "write \(Self.versionLine) service gatehouse.http { match /path { allow read: if ...; } }")
        }
        guard tokens.at("rules_version") else {
            return tokens.fail(
                tokens.current.range, "rules_version is missing",
                "write \(Self.versionLine) as the first statement of the file")
        }
        tokens.advance()
        do {
            try tokens.expect(.assign, "write \(Self.versionLine)")
            try versionNumber()
            try tokens.endStatement("rules_version")
        } catch {
            tokens.skipStatement()
        }
    }

    private mutating func versionNumber() throws(Abandoned) {
        switch tokens.current.kind {
        case .string("2"): break
        case .string("1"):
            tokens.fail(
                tokens.current.range, "rules of version '1' are not supported",
                "write \(Self.versionLine), where {name=**} also matches no segment and can be at any position")
        case .string:
            tokens.fail(
                tokens.current.range, "there is no version \(tokens.quote(tokens.current.range))",
                "write \(Self.versionLine)")
        case .integer, .float: tokens.fail(tokens.current.range, "the version is a string", "write \(Self.versionLine)")
        default: try tokens.expected("'2'", "write \(Self.versionLine)")
        }
        tokens.advance()
    }

    /// Parses `service gatehouse.http { ... }`. `nil` if it is unusable.
    private mutating func service() -> Block? {
        tokens.advance()
        do {
            try serviceName()
        } catch {
            tokens.isIncomplete = true
            tokens.skipStatement()
            return nil
        }
        return block(EnclosingPattern())
    }

    private mutating func serviceName() throws(Abandoned) {
        let start = tokens.current.range
        var name = ""
        while let word = tokens.current.word {
            name += word
            tokens.advance()
            guard tokens.at(.dot) else { break }
            name += "."
            tokens.advance()
        }
        guard !name.isEmpty else { try tokens.expected("the name of the service", "write service gatehouse.http {") }
        guard !RuleText.equal(name, "gatehouse.http") else { return }
        tokens.fail(
            tokens.range(from: start.start), "there is no service '\(Lexer.short(name))' here",
            "write service gatehouse.http {")
    }

    /// Reports a statement that is not valid next to the service block.
    private mutating func topLevel(hasService: Bool) {
        if tokens.at(.closeBrace) {
            tokens.fail(
                tokens.current.range, "unmatched '}'", "remove it, or add the '{' of the block that it closes")
            return tokens.advance()
        }
        if tokens.at(.semicolon) { return straySemicolon() }
        tokens.isIncomplete = true
        if tokens.at("match") || tokens.at("allow") || tokens.at("function") {
            tokens.fail(
                tokens.current.range, "unexpected \(tokens.found) outside of the service block",
                "move it into service gatehouse.http { ... }")
        } else if tokens.at("rules_version") {
            tokens.fail(
                tokens.current.range, "rules_version must be the first statement, and occur once",
                "write it before service, and remove this one")
        } else if !tokens.current.isInvalid {
            tokens.fail(
                tokens.current.range, "expected \(hasService ? "the end" : "service"), found \(tokens.found)",
                (hasService ? nil : tokens.meant(among: ["service"]))
                    ?? "a file consists of \(Self.versionLine) and one service gatehouse.http { ... }")
        }
        tokens.skipStatement()
    }
}

extension RulesetParser {
    /// The statements of a block.
    struct Block {
        var functions: [FunctionSyntax] = []
        var matches: [MatchSyntax] = []
        var allows: [AllowSyntax] = []
    }

    /// Parses the `{ ... }` of a service or a match.
    mutating func block(_ enclosing: EnclosingPattern) -> Block {
        var block = Block()
        let open = tokens.current.range
        guard openBlock() else { return block }
        while !tokens.at(.closeBrace), !tokens.current.isEnd {
            let before = tokens.current.range.start
            statement(enclosing, &block)
            if tokens.current.range.start == before { tokens.advance() }
        }
        close(open)
        return block
    }

    /// Parses the '{' of a block. Returns `false` if it is missing and no statement follows.
    private mutating func openBlock() -> Bool {
        if tokens.take(.openBrace) { return true }
        let isForgotten = TokenStream.isStatement(tokens.current)
        if !tokens.current.isInvalid {
            tokens.fail(
                tokens.current.range, "expected '{', found \(tokens.found)",
                "write '{' here, and '}' after the last statement of the block")
        }
        tokens.isIncomplete = true
        if !isForgotten { tokens.skipStatement() }
        return isForgotten
    }

    /// Parses the '}' of a block.
    mutating func close(_ open: SourceRange) {
        guard !tokens.take(.closeBrace) else { return }
        tokens.fail(open, "this '{' is not closed", "add '}' after the last statement of its block")
    }

    private mutating func statement(_ enclosing: EnclosingPattern, _ block: inout Block) {
        if tokens.at("match") {
            if let match = match(enclosing) { block.matches.append(match) }
        } else if tokens.at("function") {
            if let function = function() { block.functions.append(function) }
        } else if tokens.at("allow") {
            if enclosing.matches == 0 {
                tokens.fail(tokens.current.range, "allow outside of a match", "move it into match /path { ... }")
            }
            if let allow = allow() { block.allows.append(allow) }
        } else if tokens.at(.semicolon) {
            straySemicolon()
        } else {
            unknownStatement(inMatch: enclosing.matches > 0)
        }
    }

    mutating func straySemicolon() {
        tokens.fail(tokens.current.range, "unexpected ';'", "remove it: '}' is not followed by ';'")
        tokens.advance()
    }

    private mutating func unknownStatement(inMatch: Bool) {
        tokens.isIncomplete = true
        defer { tokens.skipStatement() }
        guard !tokens.current.isInvalid else { return }
        if let hint = Self.statementHints.first(where: { tokens.at($0.word) }) {
            return tokens.fail(tokens.current.range, hint.what, hint.remedy)
        }
        let words = inMatch ? ["allow", "match", "function"] : ["match", "function"]
        tokens.fail(
            tokens.current.range, "expected \(words.joined(separator: ", ")) or '}', found \(tokens.found)",
            tokens.meant(among: words) ?? "remove it: a \(inMatch ? "match" : "service") contains no other statements")
    }

    private static let statementHints: [(word: StaticString, what: String, remedy: String)] = [
        ("let", "let outside of a function", "write function name() { let x = ...; return ...; }"),
        ("var", "there is no var", "write function name() { let x = ...; return ...; }"),
        ("const", "there is no const", "write function name() { let x = ...; return ...; }"),
        ("return", "return outside of a function", "write function name() { return ...; }"),
        ("if", "if is not a statement", "write a condition after allow, as in allow read: if ...;"),
        ("deny", "there is no deny", "requests without an allow are denied: narrow the condition of the allow"),
        ("func", "there is no func", "write function name() { return ...; }"),
        ("def", "there is no def", "write function name() { return ...; }"),
        ("service", "service in another block", "there is one service block, at the top of the file"),
        ("rules_version", "rules_version must be the first statement, and occur once", "move it to the beginning"),
    ]
}

extension RulesetParser {
    /// `match PATTERN { ... }`
    private mutating func match(_ enclosing: EnclosingPattern) -> MatchSyntax? {
        let keyword = tokens.current.range
        guard enclosing.matches < RuleLimits.matchDepth else {
            tokens.fail(
                keyword, "match blocks nest at most \(RuleLimits.matchDepth) deep",
                "write longer patterns and fewer blocks")
            tokens.isIncomplete = true
            tokens.skipStatement()
            return nil
        }
        guard count(\.matches, "matches", keyword) else { return nil }
        var pattern = PatternParser(tokens: tokens, enclosing: enclosing)
        let segments = pattern.pattern()
        var inner = pattern.enclosing
        inner.matches += 1
        let range = tokens.range(from: keyword.start)
        let block = block(inner)
        return MatchSyntax(
            segments: segments, allows: block.allows, functions: block.functions, matches: block.matches, range: range)
    }

    /// Counts a declaration. Returns `false` beyond the limit and stops the parser.
    mutating func count(_ counter: WritableKeyPath<RulesetParser, Int>, _ what: String, _ range: SourceRange) -> Bool {
        self[keyPath: counter] += 1
        if self[keyPath: counter] <= RuleLimits.declarations { return true }
        tokens.fail(
            range, "rules have at most \(RuleLimits.declarations) \(what)",
            RuleLimits.remedy)
        tokens.halt()
        return false
    }
}
