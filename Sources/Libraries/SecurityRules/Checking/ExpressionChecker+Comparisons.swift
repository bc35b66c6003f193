extension ExpressionChecker {
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
            reportNeverEqual(operation, (left, a), (right, b), range)
            return .bool()
        }
        guard let first = a.constant, let second = b.constant else { return .bool() }
        return .bool(ConstantComparison.equal(first, second).map { $0 == (operation == .equal) })
    }

    private mutating func reportNeverEqual(
        _ operation: BinaryOperator, _ a: CheckedOperand,
        _ b: CheckedOperand, _ range: SourceRange
    ) {
        findings.fail(
            range,
            "this is \(operation == .equal ? "never" : "always") true: \(quote(a.expression)) is \(a.value.kinds.described), "
                + "and \(quote(b.expression)) is \(b.value.kinds.described)",
            remedy(forNeverEqual: a, b) ?? remedy(forNeverEqual: b, a) ?? "compare values of the same type")
    }

    private func remedy(
        forNeverEqual a: CheckedOperand, _ b: CheckedOperand
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
        if a.value.kinds.isKnown(as: [.list, .set]) { return "use 'in': \(quote(b.expression)) in \(text)" }
        if a.value.kinds.isKnown(as: .bytes) { return "write \(text).toHexString() or \(text).toBase64()" }
        if a.value.kinds.isKnown(as: .map) && a.value.origin == .auth { return "write \(text).uid" }
        return nil
    }

    /// Returns the remedy for a comparison of a string with a number or bool.
    private func remedy(
        forText text: CheckedOperand,
        comparedWith other: CheckedOperand
    ) -> String {
        if text.value.stringConstant != nil { return "remove the quotes" }
        let written = quote(other.expression)
        guard other.value.constant != nil else { return "write string(\(written))" }
        let quoted = "write '\(written)'"
        guard text.value.origin == .field, other.value.kinds.isKnown(as: .number) else { return quoted }
        return "\(quoted), or int(\(quote(text.expression)))"
    }

    /// `operand == null`, `operand != null`
    mutating func nullTest(
        _ operation: BinaryOperator, _ operand: Expression, _ value: Inferred, _ range: SourceRange
    ) -> Inferred {
        guard !value.kinds.fits(.null) || value.origin == .claim else { return .bool() }
        let isEqual = operation == .equal
        switch value.origin {
        // A test of these for null is a test for a user. Without a user, they are an error, so `== null` is never true.
        case .uid, .token, .claim:
            if isEqual { reportNeverNull(operand, value, range) }
        case _ where isEqual:
            findings.fail(
                range, "this is never true: \(quote(operand)) is \(value.kinds.described), never null",
                value.origin == .field ? remedy(forMissing: operand) : "remove the comparison")
        default:
            findings.warn(
                range, "this is always true: \(quote(operand)) is \(value.kinds.described), never null",
                value.origin == .field ? "use 'in' to test whether it is present" : "remove the comparison")
        }
        return .bool()
    }

    private mutating func reportNeverNull(_ operand: Expression, _ value: Inferred, _ range: SourceRange) {
        if value.origin == .claim {
            findings.fail(
                range, "a missing claim is an error, not null, so \(quote(operand)) is never null",
                remedy(forMissing: operand))
            return
        }
        let remedy =
            names.mode == .value ? "remove the comparison" : "write auth == null to test for anonymous requests"
        findings.fail(range, "this is never true: without a user \(quote(operand)) is an error, not null", remedy)
    }

    /// Returns the expression that tests whether a member is missing.
    private func remedy(forMissing operand: Expression) -> String {
        switch operand.kind {
        case .member(let base, let name): "write !('\(name.shown)' in \(quote(base)))"
        case .index(let base, let key): "write !(\(quote(key)) in \(quote(base)))"
        default: "test the map that contains it, as in !('role' in auth.token)"
        }
    }
}

extension ExpressionChecker {
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
                    ?? "compare two numbers, strings, bytes, bools, timestamps or durations")
            return .bool()
        }
        guard let first = a.constant, let second = b.constant else { return .bool() }
        return .bool(ConstantComparison.holds(operation, first, second))
    }

    /// Returns the conversion that makes the second value comparable to the first, if any.
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
            return b.stringConstant == nil ? "write int(\(other))" : "remove the quotes"
        }
        if a.kinds.isKnown(as: .number) && b.kinds.isKnown(as: [.list, .set, .map]) { return "write \(other).size()" }
        return nil
    }

    /// `element in collection`
    mutating func inferContains(_ left: Expression, _ right: Expression, _ range: SourceRange) -> Inferred {
        let a = infer(left)
        var elements: KindSet = .any
        // The kinds of a literal list's elements are known.
        let b: Inferred
        if case .list(let written) = right.kind {
            (b, elements) = inferElements(written)
        } else {
            b = infer(right)
        }
        if a.isFailed || b.isFailed { return .bool() }
        guard b.kinds.fits(.collection) else {
            findings.fail(
                right.range, "'in' requires a list, set or map, but this is \(b.kinds.described)",
                b.kinds.fits(.string)
                    ? "to search in a string, write \(quote(right)).matches('.*part.*')"
                    : "write a list: [\(quote(right))]")
            return .bool()
        }
        checkLiterals(left, a, right, b)
        if (b.origin == .headers || isHeaders(right)), let name = a.stringConstant { checkHeader(name, left.range) }
        if b.kinds.readable == .map { elements = .string }
        if !a.kinds.mayEqual(elements) {
            let has = b.kinds.readable == .map ? "the keys of a map are strings" : "no element is"
            findings.fail(
                range, "this is never true: \(quote(left)) is \(a.kinds.described), and \(has)",
                "compare values of the same type")
        }
        return .bool()
    }

    private func isHeaders(_ expression: Expression) -> Bool {
        guard case .methodCall(let base, let name, _) = expression.kind, name.text == "keys",
            case .member(let request, let member) = base.kind
        else { return false }
        return names.isRequest(request) && member.text == "headers"
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

extension ExpressionChecker {
    /// Reports literals that a method, a host or a provider never equals.
    mutating func checkLiterals(_ left: Expression, _ a: Inferred, _ right: Expression, _ b: Inferred) {
        for (value, literal, other) in [(a, right, b), (b, left, a)] {
            switch value.origin {
            case .method:
                for text in other.stringConstants { checkMethod(text, literal.range) }
            case .provider:
                for text in other.stringConstants { checkProvider(text, literal.range) }
            case .host:
                for text in other.stringConstants { checkHost(text, literal.range) }
            default: break
            }
        }
    }

    private mutating func checkMethod(_ text: String, _ range: SourceRange) {
        guard !RuleText.equal(text, text.asciiUppercased) else { return }
        let what = "request.method is the HTTP method in upper case, so it is never '\(text.shown)'"
        let remedy =
            switch text {
            case "get", "read", "list": "write 'GET', or allow \(text)"
            case "create": "write 'POST', or allow create"
            case "update": "write 'PUT' or 'PATCH', or allow update"
            case "write": "write ['POST', 'PUT', 'PATCH', 'DELETE'], or allow write"
            default: "write '\(text.asciiUppercased.shown)'"
            }
        findings.fail(range, what, remedy)
    }

    private mutating func checkHost(_ text: String, _ range: SourceRange) {
        let host = text.asciiLowercased
        if !RuleText.equal(text, host) {
            findings.fail(range, "request.host is in lower case, so this is never true", "write '\(host.shown)'")
        } else if !text.hasPrefix("["), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            findings.fail(
                range, "request.host has no port, so this is never true",
                "write '\(String(text[..<colon]).shown)'")
        }
    }

    /// Warns about providers with a short name in `auth.provider`, as known from Realtime Database rules.
    private mutating func checkProvider(_ text: String, _ range: SourceRange) {
        let short = ["google", "facebook", "github", "twitter"]
        guard let name = short.first(where: { RuleText.equal($0 + ".com", text) }) else { return }
        findings.warn(
            range, "auth.provider has short names, so it is never '\(text)'",
            "write '\(name.shown)', or compare auth.token.firebase.sign_in_provider")
    }
}
