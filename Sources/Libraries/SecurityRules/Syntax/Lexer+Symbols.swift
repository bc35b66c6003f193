extension Lexer {
    /// Operators of other languages with their equivalents. Each is reported once and read as the equivalent.
    private static let slips: [(text: StaticString, symbol: Symbol, what: String, remedy: String)] = [
        ("===", .equal, "there is no '==='", "write '==', which never converts its operands"),
        ("!==", .notEqual, "there is no '!=='", "write '!=', which never converts its operands"),
        (
            "=>", .greaterOrEqual, "there is no '=>'",
            "write '>=' to compare; functions are 'function name(x) { return x; }'"
        ),
        ("=<", .lessOrEqual, "there is no '=<'", "write '<='"),
        ("<>", .notEqual, "there is no '<>'", "write '!='"),
        ("**", .star, "there is no '**'", "write math.pow(a, b)"),
    ]

    /// The symbols of one byte.
    private static let singles: [Symbol?] = Symbol.allCases.reduce(into: Array(repeating: nil, count: 128)) {
        if let byte = $1.rawValue.utf8.first, $1.rawValue.utf8.count == 1 { $0[Int(byte)] = $1 }
    }

    /// Reads a symbol. `nil` if no symbol begins here.
    mutating func symbol(_ findings: inout RuleFindings) -> Symbol? {
        guard let byte = peek(), byte < 128 else { return nil }
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "*"):
            if let slip = slip(&findings) { return slip }
            if let double = double(byte) { return double }
            if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "|") { return single(byte, &findings) }
        default: break
        }
        guard let symbol = Self.singles[Int(byte)] else { return nil }
        position += 1
        return symbol
    }

    private mutating func double(_ byte: UInt8) -> Symbol? {
        let symbol: Symbol
        switch (byte, peek(1)) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")): symbol = .equal
        case (UInt8(ascii: "!"), UInt8(ascii: "=")): symbol = .notEqual
        case (UInt8(ascii: "<"), UInt8(ascii: "=")): symbol = .lessOrEqual
        case (UInt8(ascii: ">"), UInt8(ascii: "=")): symbol = .greaterOrEqual
        case (UInt8(ascii: "&"), UInt8(ascii: "&")): symbol = .and
        case (UInt8(ascii: "|"), UInt8(ascii: "|")): symbol = .or
        default: return nil
        }
        position += 2
        return symbol
    }

    private mutating func slip(_ findings: inout RuleFindings) -> Symbol? {
        for slip in Self.slips where peeks(slip.text) {
            let start = position
            position += slip.text.utf8CodeUnitCount
            findings.fail(range(from: start), slip.what, slip.remedy)
            return slip.symbol
        }
        return nil
    }

    private mutating func single(_ byte: UInt8, _ findings: inout RuleFindings) -> Symbol {
        position += 1
        let symbol: Symbol = byte == UInt8(ascii: "&") ? .and : .or
        findings.fail(
            range(from: position - 1), "there is no '\(Unicode.Scalar(byte))'",
            "write '\(symbol.rawValue)': there are no bitwise operators")
        return symbol
    }
}

extension Lexer {
    /// Reports `$name`, a capture in Realtime Database rules, and reads it as `name`.
    mutating func dollarName(_ findings: inout RuleFindings) -> Token.Kind {
        let start = position
        position += 1
        guard let byte = peek(), Self.isNameStart(byte) else {
            findings.fail(
                range(from: start), "unexpected '$'",
                "names cannot contain '$'; '$(...)' is for raw paths only, as in /users/$(uid)")
            return .invalid
        }
        let name = word()
        findings.fail(
            range(from: start), "names cannot contain '$'",
            "write {\(Self.short(name))} in the pattern of a match, and \(Self.short(name)) in expressions")
        return .word(name)
    }

    /// Reports an unknown character. `#` is treated as a comment; of a run of characters, only the first is reported.
    mutating func unknown(_ findings: inout RuleFindings) -> Token.Kind {
        let start = position
        let scalar = scalarAhead()
        position += UTF8.width(scalar)
        let (what, remedy) = Self.unknown(scalar)
        findings.fail(range(from: start), what, remedy)
        if scalar == "#" { skipLine() }
        while let byte = peek(), byte >= 0x80 { position += 1 }
        return .invalid
    }

    private static func unknown(_ scalar: Unicode.Scalar) -> (String, String) {
        switch scalar {
        case "#": ("'#' does not begin a comment", "write comments as '// ...' or '/* ... */'")
        case "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}":
            ("'\(scalar)' is a typographic quotation mark", "write ' or \"")
        case "~", "^": ("there is no '\(scalar)'", "there are no bitwise operators; write '!' for not")
        case "\u{A0}", "\u{2000}"..."\u{200B}", "\u{202F}", "\u{3000}", "\u{FEFF}":
            ("a space character other than U+0020 (U+\(hex(scalar.value)))", "write an ordinary space")
        case _ where scalar.value >= 0x80:
            ("U+\(hex(scalar.value)) outside of a string", "names consist of letters A to Z, digits and '_'")
        default: ("unexpected '\(scalar)'", "remove it, or quote it")
        }
    }

    static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    private func scalarAhead() -> Unicode.Scalar {
        String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self).unicodeScalars.first ?? " "
    }

    /// Returns a bounded name for a message.
    static func short(_ name: String) -> String {
        guard name.utf8.count > 32 else { return name }
        return String(String.UnicodeScalarView(name.unicodeScalars.prefix(32))) + "..."
    }
}
