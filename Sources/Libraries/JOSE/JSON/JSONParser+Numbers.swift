extension JSONParser {
    /// Reads a number at its first byte (RFC 8259 section 6).
    mutating func readNumber() throws(JSONError) {
        let start = position
        var kind = JSONValue.Kind.integer
        if text[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        try readDigits()
        guard text[first] != UInt8(ascii: "0") || position == first + 1 else { throw failure(.invalidNumber) }
        if next(is: UInt8(ascii: ".")) {
            kind = .number
            position += 1
            try readDigits()
        }
        if next(is: UInt8(ascii: "e")) || next(is: UInt8(ascii: "E")) {
            kind = .number
            position += 1
            if next(is: UInt8(ascii: "+")) || next(is: UInt8(ascii: "-")) { position += 1 }
            try readDigits()
        }
        append(kind, from: start, to: position)
    }

    /// One digit or more.
    private mutating func readDigits() throws(JSONError) {
        let start = position
        while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        guard position > start else { throw failure(position < text.count ? .invalidNumber : .unexpectedEnd) }
    }

    private func next(is byte: UInt8) -> Bool {
        position < text.count && text[position] == byte
    }
}
