extension Parser {
    mutating func segment(_ slash: Int) throws(Abandoned) -> PatternSegment.Kind {
        if isCaptureAhead || lexer.peek() == UInt8(ascii: "{") && lexer.peek(1).map({ $0 > 0x20 }) == true {
            return try capture()
        }
        if let capture = foreignCapture() { return capture }
        let start = lexer.position
        while let byte = lexer.peek(), Self.isLiteral(byte) { try literalByte(byte) }
        let literal = Array(lexer.bytes[start..<lexer.position])
        guard !literal.isEmpty else { try emptySegment(slash) }
        try checkLiteral(literal, start)
        return .literal(literal)
    }

    /// What stands as it is in a segment (RFC 3986 section 3.3) and in no other place of a pattern.
    private static func isLiteral(_ byte: UInt8) -> Bool {
        PathSyntax.isUnreserved(byte) || ":@+!&,=%".utf8.contains(byte)
    }

    private mutating func literalByte(_ byte: UInt8) throws(Abandoned) {
        guard byte == UInt8(ascii: "%") else {
            lexer.position += 1
            return
        }
        let start = lexer.position
        guard let high = lexer.peek(1).flatMap(Lexer.hexValue), let low = lexer.peek(2).flatMap(Lexer.hexValue) else {
            try badPattern(start, "'%' begins no escape here", "write %HH, '%' itself as %25")
        }
        lexer.position += 3
        let value = high << 4 | low
        guard !PathSyntax.isUnreserved(value) else {
            try badPattern(
                start, "this escape is needless",
                "write '\(Unicode.Scalar(value))': paths come without needless escapes")
        }
        let digits = lexer.bytes[(start + 1)..<(start + 3)]
        guard !digits.contains(where: { $0 >= UInt8(ascii: "a") }) else {
            try badPattern(
                start, "this escape is in lower case", "write %\(Lexer.escape(value).dropFirst()): paths come so")
        }
    }

    private mutating func checkLiteral(_ literal: [UInt8], _ start: Int) throws(Abandoned) {
        if literal.allSatisfy({ $0 == UInt8(ascii: ".") }), literal.count <= 2 {
            try badPattern(start, "no path has a segment of dots alone", "write the path that they lead to")
        }
        if literal.first == UInt8(ascii: ":"), literal.count > 1 {
            let name = Lexer.short(String(decoding: literal.dropFirst(), as: UTF8.self))
            findings.warn(
                lexer.range(from: start), "':\(name)' stands for itself here", "write {\(name)} to capture a segment")
        }
    }

    private mutating func emptySegment(_ slash: Int) throws(Abandoned) -> Never {
        switch lexer.peek() {
        case UInt8(ascii: "*"):
            try badPattern(
                lexer.position, "'*' is no segment", "write {name} for one segment, {name=**} for any number of them")
        case UInt8(ascii: "/"):
            try badPattern(slash, "a segment is empty", "take one '/' out; a comment needs a blank before '//'")
        case UInt8(ascii: "$"), UInt8(ascii: "<"):
            try badPattern(
                lexer.position, "'\(Unicode.Scalar(lexer.bytes[lexer.position]))' means nothing in a pattern",
                "write {name} to capture a segment")
        case let byte where isPatternEnd(byte):
            try badPattern(
                slash, "a pattern does not end in '/'",
                "take it out: a path's last '/' is no segment, GET on such a path is 'list'")
        default: try badByte()
        }
    }
}

extension Parser {
    /// `{name}` or `{name=**}`.
    private mutating func capture() throws(Abandoned) -> PatternSegment.Kind {
        let start = lexer.position
        lexer.position += 1
        guard let byte = lexer.peek(), Lexer.isNameStart(byte) else { try badCapture(start) }
        let name = lexer.word()
        let isRest = lexer.peeks("=**}")
        if isRest { lexer.position += 3 }
        guard lexer.peek() == UInt8(ascii: "}") else { try badCapture(start) }
        lexer.position += 1
        if Self.reserved.contains(name) {
            fail(
                lexer.range(from: start), "'\(name)' is a word of the language and cannot name a capture",
                "choose another name")
        }
        return isRest ? .rest(name) : .capture(name)
    }

    private mutating func badCapture(_ start: Int) throws(Abandoned) -> Never {
        let isSingle = lexer.peeks("=*}")
        // Blanks in it end no pattern.
        while let byte = lexer.peek(), !"{}\n".utf8.contains(byte) { lexer.position += 1 }
        try badPattern(
            start, isSingle ? "there is no {name=*}" : "this is no capture",
            "write {name} for one segment, {name=**} for any number of them")
    }

    /// `$name` or `<name>`, as others write a capture; nil: neither stands here.
    private mutating func foreignCapture() -> PatternSegment.Kind? {
        guard let mark = lexer.peek(), mark == UInt8(ascii: "$") || mark == UInt8(ascii: "<"),
            let next = lexer.peek(1), Lexer.isNameStart(next)
        else { return nil }
        let start = lexer.position
        lexer.position += 1
        let name = lexer.word()
        if mark == UInt8(ascii: "<"), lexer.peek() == UInt8(ascii: ">") { lexer.position += 1 }
        fail(
            lexer.range(from: start), "'\(Unicode.Scalar(mark))' means nothing in a pattern",
            "write {\(Lexer.short(name))} to capture a segment")
        return .capture(name)
    }
}

extension Parser {
    mutating func badByte() throws(Abandoned) -> Never {
        let rest = lexer.bytes[lexer.position..<min(lexer.position + 4, lexer.bytes.count)]
        let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first ?? " "
        let escaped = Array(String(scalar).utf8).map(Lexer.escape).joined()
        try badPattern(
            lexer.position, "'\(scalar)' does not stand in a pattern as it is", "write \(escaped), as paths have it")
    }

    mutating func badPattern(_ start: Int, _ what: String, _ remedy: String) throws(Abandoned) -> Never {
        fail(SourceRange(start: Int32(start), end: Int32(start + 1)), what, remedy)
        throw Abandoned()
    }
}

extension Lexer {
    /// `%HH`
    static func escape(_ byte: UInt8) -> String {
        "%" + String(hex(UInt32(byte)).suffix(2))
    }
}
