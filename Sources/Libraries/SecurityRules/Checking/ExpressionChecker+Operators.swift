extension ExpressionChecker {
    mutating func inferBinary(
        _ operation: BinaryOperator, _ left: Expression, _ right: Expression, _ range: SourceRange
    ) -> Inferred {
        switch operation {
        case .equal, .notEqual: inferEquality(operation, left, right, range)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: inferOrder(operation, left, right, range)
        case .contains: inferContains(left, right, range)
        case .multiply, .divide, .remainder, .add, .subtract: inferArithmetic(operation, left, right, range)
        }
    }

    private mutating func inferArithmetic(
        _ operation: BinaryOperator, _ left: Expression, _ right: Expression, _ range: SourceRange
    ) -> Inferred {
        if operation == .subtract, let (base, name) = hyphenated(left, right) {
            findings.fail(
                left.range, "'-' subtracts; names cannot contain it", "write \(quote(base))['\(name.shown)']")
            return .failed
        }
        let (a, b) = (infer(left), infer(right))
        if a.isFailed || b.isFailed { return .failed }
        let kinds = ArithmeticKinds.result(of: operation, a.kinds, b.kinds)
        guard !kinds.isEmpty else {
            findings.fail(
                range, "\(operation.rawValue) does not apply to \(a.kinds.described) and \(b.kinds.described)",
                remedy(for: operation, (left, a), (right, b)))
            return .failed
        }
        return fold(operation, a, b, kinds, range)
    }

    /// Returns the base and the intended member name of `base.some-name` if `name` is undeclared. `nil` otherwise.
    private func hyphenated(_ left: Expression, _ right: Expression) -> (Expression, String)? {
        guard case .name(let last) = right.kind, left.range.end + 1 == right.range.start,
            names.variable(named: last) == nil, !names.isGlobal(last)
        else { return nil }
        switch left.kind {
        case .member(let base, let first): return (base, first.text + "-" + last)
        case .binary(.subtract, let further, let middle):
            return hyphenated(further, middle).map { ($0, $1 + "-" + last) }
        default: return nil
        }
    }

    private func remedy(
        for operation: BinaryOperator, _ a: CheckedOperand,
        _ b: CheckedOperand
    ) -> String {
        if operation == .remainder, a.value.kinds.isKnown(as: .number), b.value.kinds.isKnown(as: .number) {
            return "% requires ints: write int(...)"
        }
        let hasText: KindSet = [.integer, .float, .bool, .null, .path]
        for (one, other) in [(a, b), (b, a)] where operation == .add {
            guard one.value.kinds.isKnown(as: .string), other.value.kinds.isKnown(as: hasText) else { continue }
            return "write string(\(quote(other.expression)))"
        }
        for (one, other) in [(a, b), (b, a)] {
            if one.value.kinds.isKnown(as: [.timestamp, .duration]), other.value.kinds.isKnown(as: .number) {
                return "write duration.value(\(quote(other.expression)), 's')"
            }
            if one.value.kinds.isKnown(as: .number), other.value.kinds.isKnown(as: .string) {
                return "write int(\(quote(other.expression)))"
            }
        }
        if a.value.kinds.isKnown(as: .set) || b.value.kinds.isKnown(as: .set) {
            return operation == .add ? "write union(...)" : "write difference(...)"
        }
        if a.value.kinds.isKnown(as: .list) || b.value.kinds.isKnown(as: .list) {
            return operation == .subtract ? "write removeAll(...)" : "write [...] around the element to add"
        }
        return "use operands of supported types"
    }

    /// Folds integer literals and reports operations that always fail.
    private mutating func fold(
        _ operation: BinaryOperator, _ a: Inferred, _ b: Inferred, _ kinds: KindSet, _ range: SourceRange
    ) -> Inferred {
        let isDivision = operation == .divide || operation == .remainder
        // If the left operand may be a float, a division by 0 has a value.
        if isDivision, b.integerConstant == 0, a.kinds.readable == .integer {
            findings.fail(range, "a division by zero always fails", "use a divisor other than 0")
            return .failed
        }
        guard let left = a.integerConstant, let right = b.integerConstant else { return Inferred(kinds: kinds) }
        let (value, overflows) =
            switch operation {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            default: left.remainderReportingOverflow(dividingBy: right)
            }
        return overflows ? reportOverflow(range) : .constant(.integer(value))
    }

    mutating func reportOverflow(_ range: SourceRange) -> Inferred {
        findings.fail(range, "the result exceeds 64 bits, so this always fails", "use a float: 1.0 * ...")
        return .failed
    }
}

extension ExpressionChecker {
    mutating func inferUnary(_ operation: UnaryOperator, _ operand: Expression, _ range: SourceRange)
        -> Inferred
    {
        switch operation {
        case .not:
            return .bool(inferOperand(operand, of: "!").boolConstant.map { !$0 })
        case .negate:
            let value = infer(operand)
            guard value.kinds.fits(.number) else {
                findings.fail(
                    range, "- requires a number, but this is \(value.kinds.described)",
                    value.kinds.fits(.bool) ? "write !, which negates true and false" : "remove the -")
                return .failed
            }
            return negated(value, range)
        }
    }

    private mutating func negated(_ value: Inferred, _ range: SourceRange) -> Inferred {
        switch value.constant {
        case .integer(let value)?:
            let (result, overflows) = Int64(0).subtractingReportingOverflow(value)
            return overflows ? reportOverflow(range) : .constant(.integer(result))
        case .float(let value)?: return .constant(.float(-value))
        default: return Inferred(kinds: value.kinds.intersection(.number))
        }
    }

    mutating func inferLogical(_ operation: LogicalOperator, _ operands: [Expression]) -> Inferred {
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
                ? "the result of this \(operation.rawValue) is therefore always \(constant): remove the operand, or correct it"
                : "it has no effect as an operand of \(operation.rawValue): remove it, or correct it")
    }

    mutating func inferConditional(
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
            "only the expression \(constant ? "before" : "after") the : has an effect: write it alone, or correct the condition"
        )
        return constant ? first : second
    }

    /// `operand is type`
    mutating func inferTypeTest(_ operand: Expression, _ type: Name) -> Inferred {
        let value = infer(operand)
        guard let kinds = KindSet.type(named: type.text) else {
            findings.fail(
                type.range, "there is no type '\(type.shown)'", Self.remedy(forType: type.text, quote(operand)))
            return .bool()
        }
        if !value.kinds.fits(kinds) {
            findings.fail(
                operand.range, "this is never true: \(quote(operand)) is \(value.kinds.described)",
                "test for a possible type, or remove the test")
        }
        return .bool()
    }

    private static func remedy(forType name: String, _ operand: String) -> String {
        switch name {
        case "null": return "compare: \(operand) == null"
        case "latlng":
            return
                "rules of HTTP requests have no geographic locations; the types are \(KindSet.typeNames.joined(separator: ", "))"
        case "constraint":
            return
                "there are no database queries here; members of request.query have the type string"
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
}

/// The operand and result kinds of arithmetic operators.
enum ArithmeticKinds {
    private typealias Row = (left: KindSet, right: KindSet, result: KindSet)

    static func result(of operation: BinaryOperator, _ left: KindSet, _ right: KindSet) -> KindSet {
        rows(operation).reduce(into: KindSet()) { result, row in
            if left.fits(row.left), right.fits(row.right) { result.formUnion(row.result) }
        }
    }

    private static func rows(_ operation: BinaryOperator) -> [Row] {
        switch operation {
        case .add: numbers + additions
        case .subtract: numbers + subtractions
        case .multiply, .divide: numbers
        case .remainder: [(.integer, .integer, .integer)]
        default: []
        }
    }

    private static let numbers: [Row] = [
        (.integer, .integer, .integer), (.float, .number, .float), (.number, .float, .float),
    ]
    private static let additions: [Row] = [
        (.string, .string, .string), (.list, .list, .list), (.bytes, .bytes, .bytes),
        (.timestamp, .duration, .timestamp), (.duration, .timestamp, .timestamp), (.duration, .duration, .duration),
    ]
    private static let subtractions: [Row] = [
        (.timestamp, .timestamp, .duration), (.timestamp, .duration, .timestamp), (.duration, .duration, .duration),
    ]
}
