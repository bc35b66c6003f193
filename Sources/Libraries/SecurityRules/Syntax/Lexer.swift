/// A lexer of bytes that passed `SourceCheck`. It can continue at any position, since the parser reads patterns and
/// path literals itself.
struct Lexer: Sendable {
    let bytes: [UInt8]
    /// The position of the next byte.
    var position = 0

    init(_ source: RuleSource) {
        bytes = source.bytes
        // A byte order mark, which some editors write.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Returns the byte at a distance from the position. `nil` after the last.
    func peek(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    func peeks(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    func range(from start: Int) -> SourceRange {
        SourceRange(start: Int32(start), end: Int32(position))
    }

    mutating func next(_ findings: inout RuleFindings) -> Token {
        let startsLine = skipTrivia(&findings)
        let start = position
        let kind = scan(&findings)
        return Token(kind: kind, range: range(from: start), startsLine: startsLine)
    }

    private mutating func scan(_ findings: inout RuleFindings) -> Token.Kind {
        guard let byte = peek() else { return .end }
        if let prefix = stringPrefix() { return string(prefix, &findings) }
        if Self.isNameStart(byte) { return .word(word()) }
        if Self.isDigit(byte) || byte == UInt8(ascii: ".") && peek(1).map(Self.isDigit) == true {
            return number(&findings)
        }
        if byte == UInt8(ascii: "`") { return backtickString(&findings) }
        if byte == UInt8(ascii: "$") { return dollarName(&findings) }
        if let symbol = symbol(&findings) { return .symbol(symbol) }
        return unknown(&findings)
    }

    /// Reads a name.
    mutating func word() -> String {
        let start = position
        while let byte = peek(), Self.isNamePart(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    static func isNameStart(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
    }

    static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || isDigit(byte)
    }
}

extension Lexer {
    /// Skips blanks and comments. Returns whether a line begins.
    private mutating func skipTrivia(_ findings: inout RuleFindings) -> Bool {
        var startsLine = position == 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\n"):
                startsLine = true
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                startsLine = skipBlockComment(&findings) || startsLine
            default: return startsLine
            }
        }
        return startsLine
    }

    mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 9 || byte == 10 || byte == 13 { position += 1 }
    }

    mutating func skipLine() {
        while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func skipBlockComment(_ findings: inout RuleFindings) -> Bool {
        let start = position
        var hasLineEnd = false
        position += 2
        while !peeks("*/") {
            guard let byte = peek() else {
                findings.fail(
                    SourceRange(start: Int32(start), end: Int32(start + 2)), "this comment is not closed",
                    "end it with '*/'")
                return hasLineEnd
            }
            if byte == UInt8(ascii: "\n") { hasLineEnd = true }
            position += 1
        }
        position += 2
        return hasLineEnd
    }
}
