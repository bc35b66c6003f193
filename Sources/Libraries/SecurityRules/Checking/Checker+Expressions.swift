extension Checker {
    /// What an expression may be; tells what is wrong in it.
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

    /// What stands where true or false is asked for.
    mutating func inferCondition(_ expression: Expression) -> Inferred {
        let value = infer(expression)
        guard !value.kinds.fits(.bool) else { return value }
        findings.fail(
            expression.range, "a condition is true or false, and this is \(value.kinds.described)",
            remedy(forNoBoolean: value, expression))
        return .failed
    }

    /// What stands beside `&&` or `||`, after `!` or before `?`.
    mutating func inferOperand(_ operand: Expression, of operation: String) -> Inferred {
        let value = infer(operand)
        guard !value.kinds.fits(.bool) else { return value }
        findings.fail(
            operand.range, "\(operation) takes what is true or false, and this is \(value.kinds.described)",
            remedy(forNoBoolean: value, operand))
        return .failed
    }

    private func remedy(forNoBoolean value: Inferred, _ expression: Expression) -> String {
        if value.isNull { return "write what must hold, as in auth != null" }
        let text = quote(expression)
        if value.kinds.fits(.null) || value.origin == .uid {
            return "nothing stands for true by itself: write \(text) != null"
        }
        if value.kinds.readable == .string { return "compare it: \(text) == '...'" }
        if value.kinds.fits([.list, .set, .map]) { return "ask for its size: \(text).size() > 0" }
        return "compare it with something"
    }
}
