/// The arithmetic operators. They never trap: an operation without a result throws.
enum Arithmetic {
    static func negate(_ operand: RuleValue) throws(RuleFailure) -> RuleValue {
        switch operand {
        case .integer(let value):
            let (negated, overflow) = Int64(0).subtractingReportingOverflow(value)
            guard !overflow else { throw RuleFailure(.overflow) }
            return .integer(negated)
        case .float(let value): return .float(-value)
        case .unreadable: throw RuleFailure(.unreadable)
        default: throw RuleFailure(.wrongKind)
        }
    }

    static func apply(
        _ operation: ProgramNode.Operation, _ left: RuleValue, _ right: RuleValue, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return .integer(try integers(operation, left, right))
        case (.float(let left), .float(let right)): return .float(try floats(operation, left, right))
        case (.integer(let left), .float(let right)): return .float(try floats(operation, Double(left), right))
        case (.float(let left), .integer(let right)): return .float(try floats(operation, left, Double(right)))
        case (.unreadable, _), (_, .unreadable): throw RuleFailure(.unreadable)
        default:
            switch operation {
            case .add: return try sum(left, right, &work)
            case .subtract: return try difference(left, right)
            default: throw RuleFailure(.wrongKind)
            }
        }
    }

    private static func integers(
        _ operation: ProgramNode.Operation, _ left: Int64, _ right: Int64
    ) throws(RuleFailure) -> Int64 {
        let result: (partialValue: Int64, overflow: Bool)
        switch operation {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        default:
            guard right != 0 else { throw RuleFailure(.divisionByZero) }
            result =
                operation == .divide
                ? left.dividedReportingOverflow(by: right) : left.remainderReportingOverflow(dividingBy: right)
        }
        guard !result.overflow else { throw RuleFailure(.overflow) }
        return result.partialValue
    }

    private static func floats(
        _ operation: ProgramNode.Operation, _ left: Double, _ right: Double
    ) throws(RuleFailure) -> Double {
        switch operation {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide: return left / right
        default: throw RuleFailure(.wrongKind)
        }
    }

    private static func sum(
        _ left: RuleValue, _ right: RuleValue, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            try work.take(bytes: left.utf8.count + right.utf8.count)
            return .string(left + right)
        case (.bytes(let left), .bytes(let right)):
            try work.take(bytes: left.count + right.count)
            return .bytes(left + right)
        case (.list(let left), .list(let right)):
            try work.take(left.count + right.count)
            return .list(left + right)
        case (.timestamp(let time), .duration(let span)), (.duration(let span), .timestamp(let time)):
            return .timestamp(try time.adding(span))
        case (.duration(let left), .duration(let right)): return .duration(try left.adding(right))
        default: throw RuleFailure(.wrongKind)
        }
    }

    private static func difference(_ left: RuleValue, _ right: RuleValue) throws(RuleFailure) -> RuleValue {
        switch (left, right) {
        case (.timestamp(let later), .timestamp(let earlier)): return .duration(try later.since(earlier))
        case (.timestamp(let time), .duration(let span)): return .timestamp(try time.subtracting(span))
        case (.duration(let left), .duration(let right)): return .duration(try left.subtracting(right))
        default: throw RuleFailure(.wrongKind)
        }
    }
}
