extension Checker {
    /// `< <= > >=`
    mutating func inferOrder(
        _ operation: BinaryOperator, _ left: Expression, _ right: Expression, _ range: SourceRange
    ) -> Inferred {
        let (a, b) = (infer(left), infer(right))
        if a.isFailed || b.isFailed { return .bool() }
        let ordered: [KindSet] = [.number, .string, .bytes, .bool, .timestamp, .duration]
        guard ordered.contains(where: { a.kinds.fits($0) && b.kinds.fits($0) }) else {
            findings.fail(
                range, "\(operation.rawValue) cannot compare \(a.kinds.described) with \(b.kinds.described)",
                conversion(left, a, right, b) ?? conversion(right, b, left, a)
                    ?? "compare numbers, strings, bytes, bools, timestamps or durations, each with their own")
            return .bool()
        }
        guard let first = a.constant, let second = b.constant else { return .bool() }
        return .bool(ConstantComparison.holds(operation, first, second))
    }

    /// How to make the second value fit the first.
    func conversion(_ left: Expression, _ a: Inferred, _ right: Expression, _ b: Inferred) -> String? {
        let (text, other) = (quote(left), quote(right))
        if a.kinds.isKnown(as: .timestamp) && b.kinds.isKnown(as: .number) {
            return "write timestamp.value(\(other)), of milliseconds, or \(text).toMillis()"
        }
        if a.kinds.isKnown(as: .duration) && b.kinds.isKnown(as: .number) {
            return "write duration.value(\(other), 's')"
        }
        if a.kinds.isKnown(as: .timestamp) && b.kinds.isKnown(as: .string) {
            return "write timestamp.date(2027, 1, 31)"
        }
        if a.kinds.isKnown(as: .number) && b.kinds.isKnown(as: .string) {
            return b.stringConstant == nil ? "write int(\(other))" : "take the quotes away"
        }
        if a.kinds.isKnown(as: .number) && b.kinds.isKnown(as: [.list, .set, .map]) { return "write \(other).size()" }
        return nil
    }
}
