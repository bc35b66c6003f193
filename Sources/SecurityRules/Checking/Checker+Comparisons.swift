extension Checker {
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

    /// `operand == null`, `operand != null`
    private mutating func nullTest(
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

    mutating func inferContains(_ left: Expression, _ right: Expression, _ range: SourceRange) -> Inferred {
        let a = infer(left)
        var elements: KindSet = .any
        // Of a list that is written out the kinds of its elements are known.
        let b: Inferred
        if case .list(let written) = right.kind {
            (b, elements) = inferElements(written)
        } else {
            b = infer(right)
        }
        if a.isFailed || b.isFailed { return .bool() }
        guard b.kinds.fits(.collection) else {
            findings.fail(
                right.range, "in looks into a list, set or map, and this is \(b.kinds.described)",
                b.kinds.fits(.string)
                    ? "for a part of a string write \(quote(right)).matches('.*part.*')"
                    : "write a list: [\(quote(right))]")
            return .bool()
        }
        checkLiterals(left, a, right, b)
        if (b.origin == .headers || isHeaders(right)), let name = a.stringConstant { checkHeader(name, left.range) }
        if b.kinds.readable == .map { elements = .string }
        if !a.kinds.mayEqual(elements) {
            let has = b.kinds.readable == .map ? "the keys of a map are strings" : "none of the elements is"
            findings.fail(
                range, "this is never true: \(quote(left)) is \(a.kinds.described), and \(has)",
                "compare values of one kind")
        }
        return .bool()
    }

    private func isHeaders(_ expression: Expression) -> Bool {
        guard case .methodCall(let base, let name, _) = expression.kind, name.text == "keys",
            case .member(let request, let member) = base.kind
        else { return false }
        return isRequest(request) && member.text == "headers"
    }

    private mutating func inferElements(_ elements: [Expression]) -> (Inferred, KindSet) {
        var kinds: KindSet = []
        var constants: [RuleValue] = []
        for element in elements {
            let value = infer(element)
            kinds.formUnion(value.kinds)
            if let constant = value.constant { constants.append(constant) }
        }
        return (Inferred(kinds: .list, constant: .list(constants)), kinds)
    }
}
