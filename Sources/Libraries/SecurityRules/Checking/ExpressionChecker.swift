/// An expression with its inferred value.
typealias CheckedOperand = (expression: Expression, value: Inferred)

/// A checker that infers the kinds of expressions. It reports unknown names, invalid operands and arguments, and
/// conditions that are never true.
///
/// Its recursion depth is that of the expressions, which the parser bounds.
struct ExpressionChecker {
    var findings: RuleFindings
    var names: NameScope
    /// The functions that conditions call.
    var calledByConditions: Set<Int> = []
    var builtins = BuiltinCallChecker()

    init(_ mode: NameScope.Mode, _ findings: RuleFindings) {
        self.findings = findings
        names = NameScope(mode)
    }

    /// Infers the value of an expression and reports its errors.
    mutating func infer(_ expression: Expression) -> Inferred {
        let range = expression.range
        switch expression.kind {
        case .null: return .constant(.null)
        case .bool(let value): return .bool(value)
        case .integer(let value): return .constant(.integer(value))
        case .float(let value): return .constant(.float(value))
        case .string(let value): return .constant(.string(value))
        case .bytes: return Inferred(kinds: .bytes)
        case .list(let elements): return inferList(elements)
        case .map(let entries): return inferMap(entries)
        case .path(let parts): return inferPath(parts)
        case .name(let name): return inferName(name, range)
        case .member(let base, let name): return inferMember(base, name)
        case .index(let base, let index): return inferIndex(base, index, range)
        case .slice(let base, let from, let to): return inferSlice(base, from, to, range)
        case .call(let name, let arguments): return inferCall(name, arguments)
        case .methodCall(let base, let name, let arguments): return inferMethod(base, name, arguments)
        case .unary(let operation, let operand): return inferUnary(operation, operand, range)
        case .binary(let operation, let left, let right): return inferBinary(operation, left, right, range)
        case .logical(let operation, let operands): return inferLogical(operation, operands)
        case .typeTest(let operand, let type): return inferTypeTest(operand, type)
        case .conditional(let condition, let then, let otherwise): return inferConditional(condition, then, otherwise)
        }
    }

    /// Infers an expression that must be a boolean.
    mutating func inferCondition(_ expression: Expression) -> Inferred {
        let value = infer(expression)
        guard !value.kinds.fits(.bool) else { return value }
        findings.fail(
            expression.range, "a condition must be a bool, but this is \(value.kinds.described)",
            remedy(forNoBoolean: value, expression))
        return .failed
    }

    /// Infers an operand of `&&`, `||`, `!` or `?:`.
    mutating func inferOperand(_ operand: Expression, of operation: String) -> Inferred {
        let value = infer(operand)
        guard !value.kinds.fits(.bool) else { return value }
        findings.fail(
            operand.range, "\(operation) takes bools, but this is \(value.kinds.described)",
            remedy(forNoBoolean: value, operand))
        return .failed
    }

    private func remedy(forNoBoolean value: Inferred, _ expression: Expression) -> String {
        if value.isNull { return "write a condition, as in auth != null" }
        let text = quote(expression)
        if value.kinds.fits(.null) || value.origin == .uid {
            return "other types are not converted to bool: write \(text) != null"
        }
        if value.kinds.readable == .string { return "compare it: \(text) == '...'" }
        if value.kinds.fits([.list, .set, .map]) { return "test its size: \(text).size() > 0" }
        return "write a comparison"
    }

    /// Checks the expression of a header field for the upstream.
    mutating func inferRendered(_ expression: Expression) {
        let value = infer(expression)
        if value.isNull {
            findings.fail(
                expression.range, "null is not a field value", "write the value of the field, or remove the field")
        } else if !value.kinds.fits(Self.rendered) {
            findings.fail(
                expression.range, "a field cannot contain \(value.kinds.described)",
                remedy(forUnrendered: value, quote(expression)))
        }
    }

    /// The kinds with a rendering as a field value. Null renders no field.
    private static let rendered: KindSet = [
        .null, .bool, .integer, .float, .string, .timestamp, .list, .map, .set,
    ]

    private func remedy(forUnrendered value: Inferred, _ text: String) -> String {
        if value.kinds.fits(.bytes) { return "write \(text).toBase64() or \(text).toHexString()" }
        if value.kinds.fits(.path) { return "write string(\(text))" }
        if value.kinds.fits(.duration) { return "write \(text).seconds()" }
        return "write \(text).affectedKeys()"
    }
}

extension ExpressionChecker {
    mutating func inferList(_ elements: [Expression]) -> Inferred {
        var constants: [RuleValue]? = []
        for element in elements {
            if let constant = infer(element).constant { constants?.append(constant) } else { constants = nil }
        }
        return Inferred(kinds: .list, constant: constants.map { .list($0) })
    }

    mutating func inferMap(_ entries: [Expression.MapEntry]) -> Inferred {
        var keys: Set<[UInt8]> = []
        for entry in entries {
            checkKey(entry.key, &keys)
            _ = infer(entry.value)
        }
        return Inferred(kinds: .map)
    }

    private mutating func checkKey(_ key: Expression, _ keys: inout Set<[UInt8]>) {
        if case .name(let name) = key.kind, names.variable(named: name) == nil, !names.isGlobal(name) {
            findings.fail(
                key.range, "a map key is an expression, and there is no name '\(name.shown)' here",
                "quote it: '\(name.shown)'")
            return
        }
        let value = infer(key)
        if !value.kinds.fits(.string) {
            findings.fail(
                key.range, "a map key must be a string, but this is \(value.kinds.described)",
                "quote it: '\(quote(key))'")
        }
        guard let text = value.stringConstant else { return }
        if !keys.insert(Array(text.utf8)).inserted {
            findings.fail(key.range, "duplicate key '\(text.shown)'", "remove one of them")
        }
    }

    mutating func inferPath(_ parts: [Expression.PathPart]) -> Inferred {
        for part in parts {
            guard case .expression(let part) = part else { continue }
            let value = infer(part)
            if !value.kinds.fits([.string, .path]) {
                findings.fail(
                    part.range, "a path segment must be a string or path, but this is \(value.kinds.described)",
                    value.kinds.fits([.integer, .float, .bool])
                        ? "write $(string(\(quote(part))))" : "use a string")
            }
        }
        return Inferred(kinds: .path)
    }

    /// Returns the text of an expression for a message: on one line, shortened.
    func quote(_ expression: Expression) -> String { findings.quote(expression) }
}
