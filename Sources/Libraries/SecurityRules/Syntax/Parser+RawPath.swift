extension Parser {
    /// `/a/$(b)/c`, from its first slash on.
    mutating func rawPath() throws(Abandoned) -> Operand {
        let start = current.range
        var parts: [Expression.PathPart] = []
        var height = 0
        lexer.position = Int(start.start)
        while lexer.peek() == UInt8(ascii: "/") {
            lexer.position += 1
            if lexer.peeks("$(") {
                let inner = try pathExpression()
                height = max(height, inner.height)
                parts.append(.expression(inner.expression))
            } else {
                parts.append(.literal(try pathLiteral(start)))
            }
            try checkPathEnd(start, parts.count)
        }
        resume(at: lexer.position)
        return try make(.path(parts), from: start.start, over: height)
    }

    private mutating func pathExpression() throws(Abandoned) -> Operand {
        let open = SourceRange(start: Int32(lexer.position), end: Int32(lexer.position + 2))
        resume(at: lexer.position + 2)
        let inner = try expression()
        guard at(.closeParenthesis) else { try unclosed(open, .closeParenthesis) }
        return inner
    }

    private mutating func pathLiteral(_ start: SourceRange) throws(Abandoned) -> String {
        let begin = lexer.position
        var content: [UInt8] = []
        while let byte = lexer.peek(), let value = pathByte(byte) {
            content.append(value)
        }
        guard lexer.position > begin else { try badPath(start) }
        guard let text = String(validating: content, as: UTF8.self) else {
            fail(lexer.range(from: begin), "the escapes of this segment are not UTF-8", "write the text's UTF-8 bytes")
            throw Abandoned()
        }
        return text
    }

    /// One byte of a segment, an escape decoded; the place is behind it then.
    private mutating func pathByte(_ byte: UInt8) -> UInt8? {
        if PathSyntax.isUnreserved(byte) {
            lexer.position += 1
            return byte
        }
        guard byte == UInt8(ascii: "%"), let high = lexer.peek(1).flatMap(Lexer.hexValue),
            let low = lexer.peek(2).flatMap(Lexer.hexValue)
        else { return nil }
        lexer.position += 3
        return high << 4 | low
    }

    /// Behind a segment is another one, or something that goes on without the path.
    private mutating func checkPathEnd(_ start: SourceRange, _ count: Int) throws(Abandoned) {
        if count > RuleLimits.pathSegments {
            fail(start, "a path has at most \(RuleLimits.pathSegments) segments", "shorten it")
            throw Abandoned()
        }
        guard let byte = lexer.peek() else { return }
        if lexer.peeks("//") { try badPath(start) }
        if "$^\\*?{%@#~`+".utf8.contains(byte) || byte >= 0x80 { try badPath(start) }
    }

    /// Tells what is wrong where a raw path cannot go on: mostly that it is a regular expression.
    private mutating func badPath(_ start: SourceRange) throws(Abandoned) -> Never {
        if let (what, remedy) = faultInPath() {
            fail(SourceRange(start: Int32(lexer.position), end: Int32(lexer.position + 1)), what, remedy)
            throw Abandoned()
        }
        if lexer.position - 1 > Int(start.start), lexer.bytes[lexer.position - 1] == UInt8(ascii: "/"),
            isEndOfOperand(lexer.peek())
        {
            fail(
                start, "a path does not end in '/'",
                "take the last '/' out; a regular expression is a text, as matches('[a-z]+')")
            throw Abandoned()
        }
        if endOfRegex(from: Int(start.start)) != nil { try tellRegex(start) }
        fail(
            start, "this is neither a path nor a division",
            "write a path as /users/$(uid), with letters, digits, '-', '.', '_', '~' and %HH; path('...') makes others")
        throw Abandoned()
    }

    /// What the byte here was meant for, if that is plain.
    private func faultInPath() -> (what: String, remedy: String)? {
        switch lexer.peek() {
        case UInt8(ascii: "{"): ("a path in an expression has no '{...}'", "write $(name), as /users/$(uid)")
        case UInt8(ascii: "%"): ("'%' begins no escape here", "write %HH, '%' itself as %25")
        case UInt8(ascii: "/"): ("a segment is empty", "take one '/' out; a comment needs a blank before '//'")
        case UInt8(ascii: "$") where lexer.peek(1).map(Lexer.isNameStart) == true:
            ("'$' stands alone here", "write $(name), as /users/$(uid)")
        default: nil
        }
    }

    private func isEndOfOperand(_ byte: UInt8?) -> Bool {
        guard let byte else { return true }
        return byte <= 0x20 || ")]},;".utf8.contains(byte)
    }

    /// A regular expression where an argument of `matches` stands.
    mutating func regexLiteral() throws(Abandoned) {
        try tellRegex(current.range)
    }

    private mutating func tellRegex(_ start: SourceRange) throws(Abandoned) -> Never {
        fail(
            start, "a regular expression is not written between '/'",
            "write a text, as matches('[a-z]+'), or r'\\d+' with backslashes; it matches whole texts, '(?i)' ignores case"
        )
        if let end = endOfRegex(from: Int(start.start)) { resume(at: end) }
        throw Abandoned()
    }

    /// Behind the slash that closes one on its line, and its flags; nil: none does.
    private func endOfRegex(from start: Int) -> Int? {
        var index = start + 1
        while index < lexer.bytes.count, lexer.bytes[index] != UInt8(ascii: "\n") {
            if lexer.bytes[index] == UInt8(ascii: "/") {
                return lexer.bytes[(index + 1)...].firstIndex { !Lexer.isNamePart($0) } ?? lexer.bytes.count
            }
            index += lexer.bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }
}

/// What patterns and raw paths have in common.
enum PathSyntax {
    /// RFC 3986 section 2.3.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        Lexer.isNamePart(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
    }
}
