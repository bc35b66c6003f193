extension Checker {
    /// `==` and `!=`
    mutating func inferEquality(
        _ operation: BinaryOperator, _ left: Expression, _ right: Expression, _ range: SourceRange
    ) -> Inferred {
        let (a, b) = (infer(left), infer(right))
        if a.isFailed || b.isFailed { return .bool() }
        if a.isNull != b.isNull {
            return a.isNull ? nullTest(operation, right, b, range) : nullTest(operation, left, a, range)
        }
        checkLiterals(left, a, right, b)
        guard a.kinds.mayEqual(b.kinds) else {
            tellNeverEqual(operation, (left, a), (right, b), range)
            return .bool()
        }
        guard let first = a.constant, let second = b.constant else { return .bool() }
        return .bool(ConstantComparison.equal(first, second).map { $0 == (operation == .equal) })
    }

    private mutating func tellNeverEqual(
        _ operation: BinaryOperator, _ a: (expression: Expression, value: Inferred),
        _ b: (expression: Expression, value: Inferred), _ range: SourceRange
    ) {
        findings.fail(
            range,
            "this is \(operation == .equal ? "never" : "always") true: \(quote(a.expression)) is \(a.value.kinds.described), "
                + "and \(quote(b.expression)) is \(b.value.kinds.described)",
            remedy(forNeverEqual: a, b) ?? remedy(forNeverEqual: b, a) ?? "compare values of one kind")
    }

    private func remedy(
        forNeverEqual a: (expression: Expression, value: Inferred), _ b: (expression: Expression, value: Inferred)
    ) -> String? {
        guard b.value.kinds.isKnown(as: .string) else {
            return a.value.kinds.isKnown(as: .list) && b.value.kinds.isKnown(as: .set)
                ? "write \(quote(a.expression)).toSet()" : nil
        }
        let text = quote(a.expression)
        if a.value.kinds.isKnown(as: .path) {
            return "write string(\(text)), or a path: /a/$(uid)/b"
        }
        if a.value.kinds.isKnown(as: [.integer, .float, .bool]) {
            return remedy(forText: b, comparedWith: a)
        }
        if a.value.kinds.isKnown(as: [.list, .set]) { return "ask with in: \(quote(b.expression)) in \(text)" }
        if a.value.kinds.isKnown(as: .bytes) { return "write \(text).toHexString() or \(text).toBase64()" }
        if a.value.kinds.isKnown(as: .map) && a.value.origin == .auth { return "write \(text).uid" }
        return nil
    }

    /// How to compare a string with a number or bool.
    private func remedy(
        forText text: (expression: Expression, value: Inferred),
        comparedWith other: (expression: Expression, value: Inferred)
    ) -> String {
        if text.value.stringConstant != nil { return "take the quotes away" }
        let written = quote(other.expression)
        guard other.value.constant != nil else { return "write string(\(written))" }
        let quoted = "write '\(written)'"
        guard text.value.origin == .field, other.value.kinds.isKnown(as: .number) else { return quoted }
        return "\(quoted), or int(\(quote(text.expression)))"
    }
}
