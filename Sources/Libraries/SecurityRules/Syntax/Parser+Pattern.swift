extension Parser {
    /// The pattern behind `match`, which is the current token: the lexer stands right behind it.
    ///
    /// Read from the bytes, since `//` and `/*` are no comments to who writes a path.
    mutating func pattern(_ enclosing: inout Enclosing) -> [PatternSegment] {
        let keyword = current.range
        lexer.skipBlanks()
        guard lexer.peek() == UInt8(ascii: "/") else {
            noPattern(keyword)
            return []
        }
        var segments: [PatternSegment] = []
        do {
            segments = try self.segments(&enclosing)
        } catch {
            isIncomplete = true
            skipPattern()
        }
        resume(at: lexer.position)
        return segments
    }

    private mutating func segments(_ enclosing: inout Enclosing) throws(Abandoned) -> [PatternSegment] {
        var segments: [PatternSegment] = []
        let first = lexer.position
        while lexer.peek() == UInt8(ascii: "/") {
            let slash = lexer.position
            lexer.position += 1
            // A '/' alone is the path of no segments.
            if slash == first, isPatternEnd(lexer.peek()), !lexer.peeks("{}") { break }
            let start = lexer.position
            let kind = try segment(slash)
            let segment = PatternSegment(kind: kind, range: lexer.range(from: start))
            try count(segment, &enclosing)
            segments.append(segment)
        }
        try checkPatternEnd()
        return segments
    }

    /// Behind the pattern the block begins.
    private mutating func checkPatternEnd() throws(Abandoned) {
        guard !isPatternEnd(lexer.peek()) else { return }
        if isCaptureAhead || lexer.bytes[lexer.position - 1] == UInt8(ascii: "}") {
            try badPattern(
                lexer.position, "a capture is a whole segment", "put a '/' between, or compare the captured text")
        }
        if lexer.peek() == UInt8(ascii: "*") {
            try badPattern(
                lexer.position, "'*' stands for nothing within a segment",
                "capture the segment and ask name.matches('...')")
        }
        try badByte()
    }

    private mutating func noPattern(_ keyword: SourceRange) {
        isIncomplete = true
        advance()
        if at(.openBrace) {
            fail(keyword, "this match has no path", "write match /path {, and match /{path=**} { for all paths")
        } else if let word = current.word, !Self.reserved.contains(word) {
            fail(current.range, "a pattern begins with '/'", "write match /\(Lexer.short(word))")
            skipPattern()
            resume(at: lexer.position)
        } else if !current.isInvalid {
            fail(
                current.range, "expected a path, found \(found)",
                "a pattern is bare text that begins with '/', as /users/{uid}")
            if !at(.closeBrace) { advance() }
        }
    }

    /// To where the block may begin.
    private mutating func skipPattern() {
        while let byte = lexer.peek(), byte > 0x20, byte != UInt8(ascii: ";") { lexer.position += 1 }
    }
}

extension Parser {
    func isPatternEnd(_ byte: UInt8?) -> Bool {
        guard let byte else { return true }
        return byte <= 0x20 || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "{") && !isCaptureAhead
    }

    /// Whether `{name}`, `{name=` or another try at one stands here, and not the block.
    var isCaptureAhead: Bool {
        guard lexer.peek() == UInt8(ascii: "{") else { return false }
        var ahead = lexer
        ahead.position += 1
        ahead.skipBlanks()
        let isNamed = !ahead.word().isEmpty
        ahead.skipBlanks()
        guard let byte = ahead.peek() else { return false }
        return (isNamed ? "}=:*" : "$*<").utf8.contains(byte)
    }

    private mutating func count(_ segment: PatternSegment, _ enclosing: inout Enclosing) throws(Abandoned) {
        enclosing.segments += 1
        switch segment.kind {
        case .literal: break
        case .capture: enclosing.captures += 1
        case .rest:
            enclosing.captures += 1
            if enclosing.hasRest {
                fail(
                    segment.range, "there is a {name=**} in this path already",
                    "it stands once in a pattern, with those of the matches around it")
            }
            enclosing.hasRest = true
        }
        guard enclosing.segments <= RuleLimits.pathSegments else {
            try tooMany("segments", RuleLimits.pathSegments, segment.range)
        }
        guard enclosing.captures <= RuleLimits.captures else {
            try tooMany("captures", RuleLimits.captures, segment.range)
        }
    }

    private mutating func tooMany(_ what: String, _ most: Int, _ range: SourceRange) throws(Abandoned) -> Never {
        fail(range, "a pattern has at most \(most) \(what), with those of the matches around it", "shorten it")
        throw Abandoned()
    }
}
