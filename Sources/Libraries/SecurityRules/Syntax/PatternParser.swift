internal import TextCoding

/// The totals of the patterns of the enclosing `match` blocks.
struct EnclosingPattern {
    var matches = 0
    var segments = 0
    var captures = 0
    var hasRest = false
}

/// A parser of a `match` pattern that reads bytes, since `//` and `/*` in a path are not comments.
struct PatternParser {
    let tokens: TokenStream
    /// The totals of the enclosing patterns and of this one so far.
    private(set) var enclosing: EnclosingPattern

    /// Parses the pattern after `match`, the current token. The lexer is directly after it.
    mutating func pattern() -> [PatternSegment] {
        let keyword = tokens.current.range
        tokens.lexer.skipBlanks()
        guard tokens.lexer.peek() == UInt8(ascii: "/") else {
            noPattern(keyword)
            return []
        }
        var segments: [PatternSegment] = []
        do {
            segments = try self.segments()
        } catch {
            tokens.isIncomplete = true
            skipPattern()
        }
        tokens.resume(at: tokens.lexer.position)
        return segments
    }

    private mutating func segments() throws(Abandoned) -> [PatternSegment] {
        var segments: [PatternSegment] = []
        let first = tokens.lexer.position
        while tokens.lexer.peek() == UInt8(ascii: "/") {
            let slash = tokens.lexer.position
            tokens.lexer.position += 1
            // A single '/' is the path without segments.
            if slash == first, isPatternEnd(tokens.lexer.peek()), !tokens.lexer.peeks("{}") { break }
            let start = tokens.lexer.position
            let kind = try segment(slash)
            let segment = PatternSegment(kind: kind, range: tokens.lexer.range(from: start))
            try count(segment)
            segments.append(segment)
        }
        try checkPatternEnd()
        return segments
    }

    /// Checks that the block begins after the pattern.
    private func checkPatternEnd() throws(Abandoned) {
        guard !isPatternEnd(tokens.lexer.peek()) else { return }
        if isCaptureAhead || tokens.lexer.bytes[tokens.lexer.position - 1] == UInt8(ascii: "}") {
            try badPattern(
                tokens.lexer.position, "a capture is a whole segment",
                "separate them with '/', or compare the captured text"
            )
        }
        if tokens.lexer.peek() == UInt8(ascii: "*") {
            try badPattern(
                tokens.lexer.position, "'*' is not a wildcard within a segment",
                "capture the segment and test name.matches('...')")
        }
        try badByte()
    }

    private func noPattern(_ keyword: SourceRange) {
        tokens.isIncomplete = true
        tokens.advance()
        if tokens.at(.openBrace) {
            tokens.fail(keyword, "this match has no path", "write match /path {, and match /{path=**} { for all paths")
        } else if let word = tokens.current.word, !TokenStream.reserved.contains(word) {
            tokens.fail(tokens.current.range, "a pattern begins with '/'", "write match /\(Lexer.short(word))")
            skipPattern()
            tokens.resume(at: tokens.lexer.position)
        } else if !tokens.current.isInvalid {
            tokens.fail(
                tokens.current.range, "expected a path, found \(tokens.found)",
                "write a pattern without quotes that begins with '/', as in /users/{uid}")
            if !tokens.at(.closeBrace) { tokens.advance() }
        }
    }

    /// Skips to a possible start of the block.
    private func skipPattern() {
        while let byte = tokens.lexer.peek(), byte > 0x20, byte != UInt8(ascii: ";") { tokens.lexer.position += 1 }
    }

    private func isPatternEnd(_ byte: UInt8?) -> Bool {
        guard let byte else { return true }
        return byte <= 0x20 || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "{") && !isCaptureAhead
    }

    /// Whether a capture such as `{name}` or `{name=`, possibly malformed, follows instead of the block.
    private var isCaptureAhead: Bool {
        guard tokens.lexer.peek() == UInt8(ascii: "{") else { return false }
        var ahead = tokens.lexer
        ahead.position += 1
        ahead.skipBlanks()
        let isNamed = !ahead.word().isEmpty
        ahead.skipBlanks()
        guard let byte = ahead.peek() else { return false }
        return (isNamed ? "}=:*" : "$*<").utf8.contains(byte)
    }

    private mutating func count(_ segment: PatternSegment) throws(Abandoned) {
        enclosing.segments += 1
        switch segment.kind {
        case .literal: break
        case .capture: enclosing.captures += 1
        case .rest:
            enclosing.captures += 1
            if enclosing.hasRest {
                tokens.fail(
                    segment.range, "duplicate {name=**} in this path",
                    "a pattern has at most one, including those of the enclosing matches")
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

    private func tooMany(_ what: String, _ most: Int, _ range: SourceRange) throws(Abandoned) -> Never {
        tokens.fail(
            range, "a pattern has at most \(most) \(what), including those of the enclosing matches", "shorten it")
        throw Abandoned()
    }

    private func segment(_ slash: Int) throws(Abandoned) -> PatternSegment.Kind {
        if isCaptureAhead || tokens.lexer.peek() == UInt8(ascii: "{") && tokens.lexer.peek(1).map({ $0 > 0x20 }) == true
        {
            return try capture()
        }
        if let capture = foreignCapture() { return capture }
        let start = tokens.lexer.position
        while let byte = tokens.lexer.peek(), Self.isLiteral(byte) { try literalByte(byte) }
        let literal = Array(tokens.lexer.bytes[start..<tokens.lexer.position])
        guard !literal.isEmpty else { try emptySegment(slash) }
        try checkLiteral(literal, start)
        return .literal(literal)
    }

    /// Returns whether the byte is valid in a literal segment (RFC 3986 section 3.3).
    private static func isLiteral(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || ":@+!&,=%".utf8.contains(byte)
    }

    private func literalByte(_ byte: UInt8) throws(Abandoned) {
        guard byte == UInt8(ascii: "%") else {
            tokens.lexer.position += 1
            return
        }
        let start = tokens.lexer.position
        guard let high = tokens.lexer.peek(1).flatMap(HexDigits.value),
            let low = tokens.lexer.peek(2).flatMap(HexDigits.value)
        else {
            try badPattern(start, "'%' does not begin an escape here", "write %HH, or %25 for '%'")
        }
        tokens.lexer.position += 3
        let value = high << 4 | low
        guard !PercentEncoding.isUnreserved(value) else {
            try badPattern(
                start, "this escape is needless",
                "write '\(Unicode.Scalar(value))': canonical paths have no needless escapes")
        }
        let digits = tokens.lexer.bytes[(start + 1)..<(start + 3)]
        guard !digits.contains(where: { $0 >= UInt8(ascii: "a") }) else {
            try badPattern(
                start, "this escape is in lower case", "write %\(Lexer.escape(value).dropFirst()), the canonical form")
        }
    }

    private func checkLiteral(_ literal: [UInt8], _ start: Int) throws(Abandoned) {
        if literal.allSatisfy({ $0 == UInt8(ascii: ".") }), literal.count <= 2 {
            try badPattern(start, "canonical paths have no '.' or '..' segments", "write the resolved path")
        }
        if literal.first == UInt8(ascii: ":"), literal.count > 1 {
            let name = Lexer.short(String(decoding: literal.dropFirst(), as: UTF8.self))
            tokens.findings.warn(
                tokens.lexer.range(from: start), "':\(name)' is a literal here",
                "write {\(name)} to capture a segment")
        }
    }

    private func emptySegment(_ slash: Int) throws(Abandoned) -> Never {
        switch tokens.lexer.peek() {
        case UInt8(ascii: "*"):
            try badPattern(
                tokens.lexer.position, "'*' is not a segment",
                "write {name} for one segment, {name=**} for any number of segments")
        case UInt8(ascii: "/"):
            try badPattern(slash, "a segment is empty", "remove one '/'; a comment needs a space before '//'")
        case UInt8(ascii: "$"), UInt8(ascii: "<"):
            try badPattern(
                tokens.lexer.position,
                "unexpected '\(Unicode.Scalar(tokens.lexer.bytes[tokens.lexer.position]))' in a pattern",
                "write {name} to capture a segment")
        case let byte where isPatternEnd(byte):
            try badPattern(
                slash, "a pattern does not end in '/'",
                "remove it: a trailing '/' of a path is not a segment, and GET on such a path is 'list'")
        default: try badByte()
        }
    }

    /// Parses `{name}` or `{name=**}`.
    private func capture() throws(Abandoned) -> PatternSegment.Kind {
        let start = tokens.lexer.position
        tokens.lexer.position += 1
        guard let byte = tokens.lexer.peek(), Lexer.isNameStart(byte) else { try badCapture(start) }
        let name = tokens.lexer.word()
        let isRest = tokens.lexer.peeks("=**}")
        if isRest { tokens.lexer.position += 3 }
        guard tokens.lexer.peek() == UInt8(ascii: "}") else { try badCapture(start) }
        tokens.lexer.position += 1
        if TokenStream.reserved.contains(name) {
            tokens.fail(
                tokens.lexer.range(from: start), "'\(name)' is a reserved word and cannot name a capture",
                "choose another name")
        }
        return isRest ? .rest(name) : .capture(name)
    }

    private func badCapture(_ start: Int) throws(Abandoned) -> Never {
        let isSingle = tokens.lexer.peeks("=*}")
        // Blanks in braces do not end the pattern.
        while let byte = tokens.lexer.peek(), !"{}\n".utf8.contains(byte) { tokens.lexer.position += 1 }
        try badPattern(
            start, isSingle ? "there is no {name=*}" : "this is not a capture",
            "write {name} for one segment, {name=**} for any number of segments")
    }

    /// Reports `$name` or `<name>`, captures of other languages, and reads them as captures. `nil` for other text.
    private func foreignCapture() -> PatternSegment.Kind? {
        guard let mark = tokens.lexer.peek(), mark == UInt8(ascii: "$") || mark == UInt8(ascii: "<"),
            let next = tokens.lexer.peek(1), Lexer.isNameStart(next)
        else { return nil }
        let start = tokens.lexer.position
        tokens.lexer.position += 1
        let name = tokens.lexer.word()
        if mark == UInt8(ascii: "<"), tokens.lexer.peek() == UInt8(ascii: ">") { tokens.lexer.position += 1 }
        tokens.fail(
            tokens.lexer.range(from: start), "unexpected '\(Unicode.Scalar(mark))' in a pattern",
            "write {\(Lexer.short(name))} to capture a segment")
        return .capture(name)
    }

    private func badByte() throws(Abandoned) -> Never {
        let rest = tokens.lexer.bytes[tokens.lexer.position..<min(tokens.lexer.position + 4, tokens.lexer.bytes.count)]
        let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first ?? " "
        let escaped = Array(String(scalar).utf8).map(Lexer.escape).joined()
        try badPattern(
            tokens.lexer.position, "'\(scalar)' must be escaped in a pattern",
            "write \(escaped), the form in canonical paths")
    }

    private func badPattern(_ start: Int, _ what: String, _ remedy: String) throws(Abandoned) -> Never {
        tokens.fail(SourceRange(start: Int32(start), end: Int32(start + 1)), what, remedy)
        throw Abandoned()
    }
}

extension Lexer {
    /// `%HH`
    static func escape(_ byte: UInt8) -> String {
        "%" + String(hex(UInt32(byte)).suffix(2))
    }
}
