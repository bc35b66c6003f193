extension Checker {
    /// `element in collection`
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
