internal import TextCoding

extension Lexer {
    /// The maximum length of a number. A finite one needs at most about 770 digits.
    private static let longestNumber = 1024

    static let outOfRange = (
        what: "this number is out of range",
        remedy: "an int has 64 bits (at most 9223372036854775807), a float is at most 1.7976931348623157e308"
    )

    /// Reads `12`, `0xFF`, `1.5`, `.5` or `1e9`. An invalid number is reported and read as 0.
    mutating func number(_ findings: inout RuleFindings) -> Token.Kind {
        let start = position
        let kind = peeks("0x") || peeks("0X") ? hexadecimal() : decimal()
        if let byte = peek(), Self.isNamePart(byte) { return suffixed(start, &findings) }
        if position == start + 2, kind == nil { return suffixed(start, &findings) }
        let digits = bytes[start..<position]
        if hasLeadingZero(digits) {
            findings.fail(
                range(from: start), "a number does not begin with 0",
                "remove the 0; hexadecimal numbers begin with 0x, and octal numbers are not supported")
            return .integer(0)
        }
        guard let kind, digits.count <= Self.longestNumber else {
            findings.fail(range(from: start), Self.outOfRange.what, Self.outOfRange.remedy)
            return .integer(0)
        }
        return kind
    }

    private mutating func hexadecimal() -> Token.Kind? {
        position += 2
        let start = position
        while let byte = peek(), HexDigits.value(of: byte) != nil { position += 1 }
        return UInt64(String(decoding: bytes[start..<position], as: UTF8.self), radix: 16).map { .integer($0) }
    }

    private mutating func decimal() -> Token.Kind? {
        let start = position
        skipDigits()
        var isFloat = false
        if peek() == UInt8(ascii: "."), peek(1).map(Self.isDigit) == true {
            isFloat = true
            position += 1
            skipDigits()
        }
        isFloat = skipExponent() || isFloat
        guard position - start <= Self.longestNumber else { return nil }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard isFloat else { return UInt64(text).map { .integer($0) } }
        return Double(text).flatMap { $0.isFinite ? .float($0) : nil }
    }

    private mutating func skipDigits() {
        while let byte = peek(), Self.isDigit(byte) { position += 1 }
    }

    private mutating func skipExponent() -> Bool {
        guard peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") else { return false }
        let sign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-") ? 1 : 0
        guard peek(1 + sign).map(Self.isDigit) == true else { return false }
        position += 1 + sign
        skipDigits()
        return true
    }

    private func hasLeadingZero(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.first == UInt8(ascii: "0") && digits.dropFirst().first.map(Self.isDigit) == true
    }

    /// Reports a suffix: `1_000`, `5u`, `10L`, `0xZZ`.
    private mutating func suffixed(_ start: Int, _ findings: inout RuleFindings) -> Token.Kind {
        while let byte = peek(), Self.isNamePart(byte) { position += 1 }
        findings.fail(
            range(from: start), "a number cannot contain letters or '_'",
            "write digits only, as in 1000, 1.5, 1e9 or 0xFF")
        return .integer(0)
    }
}
