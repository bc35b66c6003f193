internal import PrintableText

extension Checker {
    /// What an expression looks like in a message: its text on one line, shortened.
    func quote(_ expression: Expression) -> String {
        Self.quote(findings.source.text(expression.range.limited(to: 128)))
    }

    static func quote(_ text: String) -> String {
        let line = text.map { $0.isWhitespace ? " " : String($0) }.joined()
        return PrintableText.short(line, limit: line.unicodeScalars.count > 48 ? 45 : 48)
    }
}

extension Name {
    /// As messages show it.
    var shown: String { Checker.quote(text) }
}

extension SourceRange {
    /// Its first bytes.
    func limited(to count: Int32) -> SourceRange {
        SourceRange(start: start, end: min(end, start.addingReportingOverflow(count).partialValue))
    }
}
