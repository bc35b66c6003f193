extension Checker {
    /// What an expression looks like in a message: its text on one line, shortened.
    func quote(_ expression: Expression) -> String {
        Self.quote(findings.source.text(expression.range.limited(to: 128)))
    }

    static func quote(_ text: String) -> String {
        let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) }
        return line.count > 48 ? String(line.prefix(45)) + "..." : String(line)
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
