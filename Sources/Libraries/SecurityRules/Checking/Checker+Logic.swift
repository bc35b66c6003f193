extension Checker {
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
                ? "so the whole of this \(operation.rawValue) is \(constant): take it away, or write what is meant"
                : "beside \(operation.rawValue) it changes nothing: take it away, or write what is meant")
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
            "only what stands \(constant ? "before" : "behind") the : counts: write it alone, or write what is meant")
        return constant ? first : second
    }
}
