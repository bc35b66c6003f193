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

    private mutating func inferUnary(_ operation: UnaryOperator, _ operand: Expression, _ range: SourceRange)
        -> Inferred
    {
        switch operation {
        case .not:
            return .bool(inferOperand(operand, of: "!").boolConstant.map { !$0 })
        case .negate:
            let value = infer(operand)
            guard value.kinds.fits(.number) else {
                findings.fail(
                    range, "only a number can be negated, and this is \(value.kinds.described)",
                    value.kinds.fits(.bool) ? "write !, which negates true and false" : "take the - away")
                return .failed
            }
            return negated(value, range)
        }
    }

    private mutating func negated(_ value: Inferred, _ range: SourceRange) -> Inferred {
        switch value.constant {
        case .integer(let value)?:
            let (result, overflows) = Int64(0).subtractingReportingOverflow(value)
            return overflows ? tellOverflow(range) : .constant(.integer(result))
        case .float(let value)?: return .constant(.float(-value))
        default: return Inferred(kinds: value.kinds.intersection(.number))
        }
    }

    private mutating func inferLogical(_ operation: LogicalOperator, _ operands: [Expression]) -> Inferred {
        let deciding = operation == .or
        var isDecided = false
        var isConstant = true
        for operand in operands {
            let value = inferOperand(operand, of: operation.rawValue)
            guard let constant = value.boolConstant else {
                isConstant = false
                continue
            }
            isDecided = isDecided || constant == deciding
            warn(ofConstant: constant, operand, operation)
        }
        if isDecided { return .bool(deciding) }
        return .bool(isConstant ? !deciding : nil)
    }

    private mutating func warn(ofConstant constant: Bool, _ operand: Expression, _ operation: LogicalOperator) {
        let decides = constant == (operation == .or)
        findings.warn(
            operand.range, "this is always \(constant)",
            decides
                ? "so the whole of this \(operation.rawValue) is \(constant): take it away, or write what is meant"
                : "beside \(operation.rawValue) it changes nothing: take it away, or write what is meant")
    }

    private mutating func inferConditional(
        _ condition: Expression, _ then: Expression, _ otherwise: Expression
    ) -> Inferred {
        let constant = inferOperand(condition, of: "?:").boolConstant
        let (first, second) = (infer(then), infer(otherwise))
        guard let constant else {
            let origin = first.origin == second.origin ? first.origin : .other
            return Inferred(kinds: first.kinds.union(second.kinds), origin: origin)
        }
        findings.warn(
            condition.range, "this is always \(constant)",
            "only what stands \(constant ? "before" : "behind") the : counts: write it alone, or write what is meant")
        return constant ? first : second
    }

    private mutating func inferTypeTest(_ operand: Expression, _ type: Name) -> Inferred {
        let value = infer(operand)
        guard let kinds = KindSet.type(named: type.text) else {
            findings.fail(
                type.range, "there is no type '\(type.shown)'", Self.remedy(forType: type.text, quote(operand)))
            return .bool()
        }
        if !value.kinds.fits(kinds) {
            findings.fail(
                operand.range, "this is never true: \(quote(operand)) is \(value.kinds.described)",
                "ask for what it can be, or take the test away")
        }
        return .bool()
    }

    private static func remedy(forType name: String, _ operand: String) -> String {
        switch name {
        case "null": return "compare: \(operand) == null"
        case "latlng":
            return "rules of HTTP requests have no places; the types are \(KindSet.typeNames.joined(separator: ", "))"
        case "constraint":
            return
                "there are no queries of a database here; ask for the type that a member of request.query has: string"
        case "boolean": return "write bool"
        case "integer", "long": return "write int"
        case "double", "decimal": return "write float"
        case "array": return "write list"
        case "object", "dict": return "write map"
        case "text", "str": return "write string"
        default:
            if let nearest = NearestName.of(name, among: KindSet.typeNames) { return "write \(nearest)" }
            return "the types are \(KindSet.typeNames.joined(separator: ", "))"
        }
    }

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

extension KindSet {
    /// `a string`, `an int`, `bytes`, `null`, `a map or null`, `any value`.
    var described: String {
        let text = text
        if text == "null" || text.hasPrefix("bytes") || isAnything { return text }
        return (text.hasPrefix("int") ? "an " : "a ") + text
    }
}
