extension Parser {
    /// What stands in a block.
    struct Block {
        var functions: [FunctionSyntax] = []
        var matches: [MatchSyntax] = []
        var allows: [AllowSyntax] = []
    }

    /// What stands around a block: the patterns of its matches, together.
    struct Enclosing {
        var matches = 0
        var segments = 0
        var captures = 0
        var hasRest = false
    }

    /// `{ ... }` of a service or a match.
    mutating func block(_ enclosing: Enclosing) -> Block {
        var block = Block()
        let open = current.range
        guard openBlock() else { return block }
        while !at(.closeBrace), !current.isEnd {
            let before = current.range.start
            statement(enclosing, &block)
            if current.range.start == before { advance() }
        }
        close(open)
        return block
    }

    /// The '{' of a block; false: there is none, and nothing that looks as if only it was forgotten.
    private mutating func openBlock() -> Bool {
        if take(.openBrace) { return true }
        let isForgotten = Self.isStatement(current)
        if !current.isInvalid {
            fail(current.range, "expected '{', found \(found)", "what belongs to it stands between '{' and '}'")
        }
        isIncomplete = true
        if !isForgotten { skipStatement() }
        return isForgotten
    }

    /// The '}' of a block.
    mutating func close(_ open: SourceRange) {
        guard !take(.closeBrace) else { return }
        fail(open, "this '{' is not closed", "add the '}' that belongs to it")
    }

    private mutating func statement(_ enclosing: Enclosing, _ block: inout Block) {
        if at("match") {
            if let match = match(enclosing) { block.matches.append(match) }
        } else if at("function") {
            if let function = function() { block.functions.append(function) }
        } else if at("allow") {
            if enclosing.matches == 0 {
                fail(current.range, "allow stands outside of a match", "put it into match /path { ... }")
            }
            if let allow = allow() { block.allows.append(allow) }
        } else if at(.semicolon) {
            straySemicolon()
        } else {
            unknownStatement(inMatch: enclosing.matches > 0)
        }
    }

    mutating func straySemicolon() {
        fail(current.range, "this ';' ends nothing", "take it out: behind '}' there is none")
        advance()
    }

    private mutating func unknownStatement(inMatch: Bool) {
        isIncomplete = true
        defer { skipStatement() }
        guard !current.isInvalid else { return }
        if let hint = Self.statementHints.first(where: { at($0.word) }) {
            return fail(current.range, hint.what, hint.remedy)
        }
        let words = inMatch ? ["allow", "match", "function"] : ["match", "function"]
        fail(
            current.range, "expected \(words.joined(separator: ", ")) or '}', found \(found)",
            meant(among: words) ?? "take it out: nothing else stands in a \(inMatch ? "match" : "service")")
    }

    private static let statementHints: [(word: StaticString, what: String, remedy: String)] = [
        ("let", "let stands outside of a function", "write function name() { let x = ...; return ...; }"),
        ("var", "there is no var", "write function name() { let x = ...; return ...; }"),
        ("const", "there is no const", "write function name() { let x = ...; return ...; }"),
        ("return", "return stands outside of a function", "write function name() { return ...; }"),
        ("if", "if is no statement", "a condition stands behind allow, as allow read: if ...;"),
        ("deny", "there is no deny", "what no allow lets pass is denied: narrow the condition of the allow"),
        ("func", "there is no func", "write function name() { return ...; }"),
        ("def", "there is no def", "write function name() { return ...; }"),
        ("service", "service stands in another block", "there is one service block, at the top of the file"),
        ("rules_version", "rules_version is the first statement, once", "put it first"),
    ]
}

extension Parser {
    /// `match PATTERN { ... }`
    private mutating func match(_ enclosing: Enclosing) -> MatchSyntax? {
        let keyword = current.range
        guard enclosing.matches < RuleLimits.matchDepth else {
            fail(
                keyword, "match blocks nest at most \(RuleLimits.matchDepth) deep",
                "write longer patterns and fewer blocks")
            isIncomplete = true
            skipStatement()
            return nil
        }
        guard count(\.matches, "matches", keyword) else { return nil }
        var inner = enclosing
        inner.matches += 1
        let segments = pattern(&inner)
        let range = range(from: keyword.start)
        let block = block(inner)
        return MatchSyntax(
            segments: segments, allows: block.allows, functions: block.functions, matches: block.matches, range: range)
    }

    /// Whether there may be one more declaration of a kind; beyond, nothing more is read.
    mutating func count(_ counter: WritableKeyPath<Parser, Int>, _ what: String, _ range: SourceRange) -> Bool {
        self[keyPath: counter] += 1
        if self[keyPath: counter] <= RuleLimits.declarations { return true }
        fail(
            range, "rules have at most \(RuleLimits.declarations) \(what)",
            "split them: each route can have a file of its own")
        halt()
        return false
    }
}
