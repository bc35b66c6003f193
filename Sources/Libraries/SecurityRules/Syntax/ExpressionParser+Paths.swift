internal import TextCoding

extension ExpressionParser {
    /// Parses `/a/$(b)/c` from its first slash.
    mutating func rawPath() throws(Abandoned) -> Operand {
        let start = tokens.current.range
        var parts: [Expression.PathPart] = []
        var height = 0
        tokens.lexer.position = Int(start.start)
        while tokens.lexer.peek() == UInt8(ascii: "/") {
            tokens.lexer.position += 1
            if tokens.lexer.peeks("$(") {
                let inner = try pathExpression()
                height = max(height, inner.height)
                parts.append(.expression(inner.expression))
            } else {
                parts.append(.literal(try pathLiteral(start)))
            }
            try checkPathEnd(start, parts.count)
        }
        tokens.resume(at: tokens.lexer.position)
        return try make(.path(parts), from: start.start, over: height)
    }

    private mutating func pathExpression() throws(Abandoned) -> Operand {
        let open = SourceRange(start: Int32(tokens.lexer.position), end: Int32(tokens.lexer.position + 2))
        tokens.resume(at: tokens.lexer.position + 2)
        let inner = try expression()
        guard tokens.at(.closeParenthesis) else { try tokens.unclosed(open, .closeParenthesis) }
        return inner
    }

    private mutating func pathLiteral(_ start: SourceRange) throws(Abandoned) -> String {
        let begin = tokens.lexer.position
        var content: [UInt8] = []
        while let byte = tokens.lexer.peek(), let value = pathByte(byte) {
            content.append(value)
        }
        guard tokens.lexer.position > begin else { try badPath(start) }
        guard let text = String(validating: content, as: UTF8.self) else {
            tokens.fail(
                tokens.lexer.range(from: begin), "the escapes of this segment are not UTF-8",
                "write the text's UTF-8 bytes")
            throw Abandoned()
        }
        return text
    }

    /// Reads one byte of a segment and decodes an escape.
    private mutating func pathByte(_ byte: UInt8) -> UInt8? {
        if PercentEncoding.isUnreserved(byte) {
            tokens.lexer.position += 1
            return byte
        }
        guard byte == UInt8(ascii: "%"), let high = tokens.lexer.peek(1).flatMap(HexDigits.value),
            let low = tokens.lexer.peek(2).flatMap(HexDigits.value)
        else { return nil }
        tokens.lexer.position += 3
        return high << 4 | low
    }

    /// Checks that another segment or the end of the path follows.
    private mutating func checkPathEnd(_ start: SourceRange, _ count: Int) throws(Abandoned) {
        if count > RuleLimits.pathSegments {
            tokens.fail(start, "a path has at most \(RuleLimits.pathSegments) segments", "shorten it")
            throw Abandoned()
        }
        guard let byte = tokens.lexer.peek() else { return }
        if tokens.lexer.peeks("//") { try badPath(start) }
        if "$^\\*?{%@#~`+".utf8.contains(byte) || byte >= 0x80 { try badPath(start) }
    }

    /// Reports an invalid path, which is usually a regular expression.
    private mutating func badPath(_ start: SourceRange) throws(Abandoned) -> Never {
        if let (what, remedy) = faultInPath() {
            tokens.fail(
                SourceRange(start: Int32(tokens.lexer.position), end: Int32(tokens.lexer.position + 1)), what, remedy)
            throw Abandoned()
        }
        if tokens.lexer.position - 1 > Int(start.start),
            tokens.lexer.bytes[tokens.lexer.position - 1] == UInt8(ascii: "/"),
            isEndOfOperand(tokens.lexer.peek())
        {
            tokens.fail(
                start, "a path does not end in '/'",
                "remove the trailing '/'; write a regular expression as a string, as in matches('[a-z]+')")
            throw Abandoned()
        }
        if endOfRegex(from: Int(start.start)) != nil { try reportRegex(start) }
        tokens.fail(
            start, "this is neither a path nor a division",
            "write a path as /users/$(uid), with letters, digits, '-', '.', '_', '~' and %HH, or use path('...') for other characters"
        )
        throw Abandoned()
    }

    /// Returns the error of the current byte, if it is a common mistake.
    private func faultInPath() -> (what: String, remedy: String)? {
        switch tokens.lexer.peek() {
        case UInt8(ascii: "{"): ("a path in an expression has no '{...}'", "write $(name), as /users/$(uid)")
        case UInt8(ascii: "%"): ("'%' does not begin an escape here", "write %HH, or %25 for '%'")
        case UInt8(ascii: "/"): ("a segment is empty", "remove one '/'; a comment needs a space before '//'")
        case UInt8(ascii: "$") where tokens.lexer.peek(1).map(Lexer.isNameStart) == true:
            ("'$' without '(...)'", "write $(name), as /users/$(uid)")
        default: nil
        }
    }

    private func isEndOfOperand(_ byte: UInt8?) -> Bool {
        guard let byte else { return true }
        return byte <= 0x20 || ")]},;".utf8.contains(byte)
    }

    /// Reports a regular expression literal as an argument of `matches`.
    mutating func regexLiteral() throws(Abandoned) {
        try reportRegex(tokens.current.range)
    }

    private mutating func reportRegex(_ start: SourceRange) throws(Abandoned) -> Never {
        tokens.fail(
            start, "regular expressions are not delimited by '/'",
            "write a string, as in matches('[a-z]+'), or r'\\d+' with backslashes; it matches whole strings, and '(?i)' ignores case"
        )
        if let end = endOfRegex(from: Int(start.start)) { tokens.resume(at: end) }
        throw Abandoned()
    }

    /// Returns the position after a regular expression literal on this line, including its flags. `nil` if it is not
    /// closed.
    private func endOfRegex(from start: Int) -> Int? {
        var index = start + 1
        while index < tokens.lexer.bytes.count, tokens.lexer.bytes[index] != UInt8(ascii: "\n") {
            if tokens.lexer.bytes[index] == UInt8(ascii: "/") {
                return tokens.lexer.bytes[(index + 1)...].firstIndex { !Lexer.isNamePart($0) }
                    ?? tokens.lexer.bytes.count
            }
            index += tokens.lexer.bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }
}
