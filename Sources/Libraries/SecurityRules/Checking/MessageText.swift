internal import PrintableText

extension RuleFindings {
    /// Returns the text of an expression for a message: on one line, shortened.
    func quote(_ expression: Expression) -> String {
        source.text(expression.range.limited(to: 128)).shown
    }

    /// Returns the position of a declaration for a message.
    func place(_ range: SourceRange?) -> String {
        guard let range else { return " of the path" }
        return " on line \(source.line(range.start))"
    }
}

extension String {
    /// The text in messages: on one line, shortened.
    var shown: String {
        let line = map { $0.isWhitespace ? " " : String($0) }.joined()
        return PrintableText.short(line, limit: line.unicodeScalars.count > 48 ? 45 : 48)
    }

    /// The text with only ASCII letters in lower case.
    var asciiLowercased: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    var asciiUppercased: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}

extension Name {
    /// The name in messages.
    var shown: String { text.shown }
}

extension SourceRange {
    /// Returns the first bytes of the range.
    fileprivate func limited(to count: Int32) -> SourceRange {
        SourceRange(start: start, end: min(end, start.addingReportingOverflow(count).partialValue))
    }
}
