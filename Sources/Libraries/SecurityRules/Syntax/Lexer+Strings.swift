internal import TextCoding

extension Lexer {
    /// The prefix of a string literal.
    struct StringPrefix {
        var isBytes = false
        var isRaw = false
        var length = 0
    }

    /// Returns the prefix of a string literal. `nil` if there is no string.
    func stringPrefix() -> StringPrefix? {
        var prefix = StringPrefix()
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "b") {
            prefix.isBytes = true
            prefix.length += 1
        }
        if let byte = peek(prefix.length), byte | 0x20 == UInt8(ascii: "r") {
            prefix.isRaw = true
            prefix.length += 1
        }
        guard let byte = peek(prefix.length), Self.isQuote(byte) else { return nil }
        return prefix
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
    }

    mutating func string(_ prefix: StringPrefix, _ findings: inout RuleFindings) -> Token.Kind {
        let start = position
        position += prefix.length
        let quote = bytes[position]
        if peek(1) == quote && peek(2) == quote { return tripleString(quote, &findings) }
        position += 1
        var content: [UInt8] = []
        while let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
            if byte == UInt8(ascii: "\\"), !prefix.isRaw {
                escape(isBytes: prefix.isBytes, into: &content, &findings)
                continue
            }
            position += 1
            if byte == quote { return Self.literal(content, prefix) }
            content.append(byte)
        }
        return unclosed(start, quote, &findings)
    }

    private static func literal(_ content: [UInt8], _ prefix: StringPrefix) -> Token.Kind {
        prefix.isBytes ? .bytes(content) : .string(String(decoding: content, as: UTF8.self))
    }

    private mutating func unclosed(_ start: Int, _ quote: UInt8, _ findings: inout RuleFindings) -> Token.Kind {
        findings.fail(
            SourceRange(start: Int32(start), end: Int32(start + 1)), "this string is not closed on its line",
            "end it with \(Unicode.Scalar(quote)); write a line end in a string as '\\n'")
        return .invalid
    }

    private mutating func tripleString(_ quote: UInt8, _ findings: inout RuleFindings) -> Token.Kind {
        let start = position
        position += 3
        findings.fail(
            range(from: start), "triple-quoted strings are not supported",
            "write one quotation mark; write a line end in a string as '\\n'")
        while position < bytes.count, !(peek() == quote && peek(1) == quote && peek(2) == quote) { position += 1 }
        guard position < bytes.count else { return .invalid }
        position += 3
        return .string("")
    }

    /// Reports a JavaScript template literal and reads it as a string.
    mutating func backtickString(_ findings: inout RuleFindings) -> Token.Kind {
        let start = position
        position += 1
        while let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "`") { position += 1 }
        let isClosed = peek() == UInt8(ascii: "`")
        if isClosed { position += 1 }
        findings.fail(
            SourceRange(start: Int32(start), end: Int32(start + 1)), "strings are not delimited by backticks",
            "write '...' or \"...\", and 'a' + b to concatenate strings")
        return isClosed ? .string("") : .invalid
    }
}

extension Lexer {
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "a"): 0x07,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "\\"): 0x5C,
        UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22, UInt8(ascii: "?"): 0x3F, UInt8(ascii: "`"): 0x60,
    ]

    /// Reads an escape from its backslash.
    private mutating func escape(isBytes: Bool, into content: inout [UInt8], _ findings: inout RuleFindings) {
        let start = position
        position += 1
        // A backslash at the end of a line: the caller reports the unclosed string.
        guard let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") else { return }
        if let plain = Self.escapes[byte] {
            position += 1
            return content.append(plain)
        }
        guard let value = numericEscape(byte), isBytes ? value.fitsBytes : Unicode.Scalar(value.value) != nil else {
            return badEscape(start, isBytes, &findings)
        }
        if isBytes { return content.append(UInt8(truncatingIfNeeded: value.value)) }
        if let scalar = Unicode.Scalar(value.value) { content += Array(UTF8.encode(scalar) ?? .init()) }
    }

    /// Reads `\xHH`, `\uHHHH`, `\UHHHHHHHH` or `\OOO`.
    private mutating func numericEscape(_ byte: UInt8) -> (value: UInt32, fitsBytes: Bool)? {
        switch byte {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): digits(2, radix: 16, skipping: 1).map { ($0, true) }
        case UInt8(ascii: "u"): digits(4, radix: 16, skipping: 1).map { ($0, false) }
        case UInt8(ascii: "U"): digits(8, radix: 16, skipping: 1).map { ($0, false) }
        case UInt8(ascii: "0")...UInt8(ascii: "3"): digits(3, radix: 8, skipping: 0).map { ($0, true) }
        default: nil
        }
    }

    private mutating func digits(_ count: Int, radix: UInt8, skipping prefix: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<count {
            guard let byte = peek(prefix + index), let digit = HexDigits.value(of: byte), digit < radix else {
                return nil
            }
            value = value &* UInt32(radix) &+ UInt32(digit)
        }
        position += prefix + count
        return value
    }

    private mutating func badEscape(_ start: Int, _ isBytes: Bool, _ findings: inout RuleFindings) {
        if position == start + 1 { position += 1 }
        while let byte = peek(), byte & 0xC0 == 0x80 { position += 1 }
        let text = Self.short(String(decoding: bytes[start..<position], as: UTF8.self))
        let known = isBytes ? "\\xHH and \\OOO" : "\\xHH, \\uHHHH, \\UHHHHHHHH and \\OOO"
        findings.fail(
            range(from: start), "'\(text)' is not an escape",
            "the escapes are \\n \\t \\r \\a \\b \\f \\v \\\\ \\' \\\" \\? \\` \(known); write a backslash as \\\\, or use r'...'"
        )
    }
}
