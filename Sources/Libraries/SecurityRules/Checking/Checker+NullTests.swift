extension Checker {
    /// `operand == null`, `operand != null`
    mutating func nullTest(
        _ operation: BinaryOperator, _ operand: Expression, _ value: Inferred, _ range: SourceRange
    ) -> Inferred {
        guard !value.kinds.fits(.null) || value.origin == .claim else { return .bool() }
        let isEqual = operation == .equal
        switch value.origin {
        // Whoever asks whether they are there asks whether somebody is signed in; nobody is an error, not true either.
        case .uid, .token, .claim:
            if isEqual { tellNeverNull(operand, value, range) }
        case _ where isEqual:
            findings.fail(
                range, "this is never true: \(quote(operand)) is \(value.kinds.described), never null",
                value.origin == .field ? Self.missing(operand, self) : "take the comparison away")
        default:
            findings.warn(
                range, "this is always true: \(quote(operand)) is \(value.kinds.described), never null",
                value.origin == .field ? "ask with in whether it is there" : "take the comparison away")
        }
        return .bool()
    }

    private mutating func tellNeverNull(_ operand: Expression, _ value: Inferred, _ range: SourceRange) {
        if value.origin == .claim {
            findings.fail(
                range, "a claim that is missing is an error, not null, so \(quote(operand)) is not null either",
                Self.missing(operand, self))
            return
        }
        let remedy = mode == .value ? "take the comparison away" : "for nobody signed in write auth == null"
        findings.fail(range, "this is never true: without a user \(quote(operand)) is an error, not null", remedy)
    }

    /// How to ask whether a member is missing.
    private static func missing(_ operand: Expression, _ checker: Checker) -> String {
        switch operand.kind {
        case .member(let base, let name): "write !('\(quote(name.text))' in \(checker.quote(base)))"
        case .index(let base, let key): "write !(\(checker.quote(key)) in \(checker.quote(base)))"
        default: "ask the map that it comes from, as in !('role' in auth.token)"
        }
    }
}
