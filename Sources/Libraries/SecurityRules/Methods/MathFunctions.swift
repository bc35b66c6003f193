#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

enum MathFunctions {
    static func call(_ builtin: Builtin, _ arguments: borrowing Arguments) throws(RuleFailure) -> RuleValue {
        let value = try arguments.number(0)
        switch builtin {
        case .mathAbs: return try absolute(arguments[0])
        case .mathCeil: return try rounded(arguments[0], .up)
        case .mathFloor: return try rounded(arguments[0], .down)
        case .mathRound: return try rounded(arguments[0], .toNearestOrAwayFromZero)
        case .mathSqrt: return .float(value.squareRoot())
        case .mathIsNaN: return .bool(value.isNaN)
        case .mathIsInfinite: return .bool(value.isInfinite)
        default: return try .float(power(value, arguments.number(1)))
        }
    }

    private static func absolute(_ value: RuleValue) throws(RuleFailure) -> RuleValue {
        switch value {
        case .float(let value): return .float(value.magnitude)
        case .integer(let value):
            guard let magnitude = Int64(exactly: value.magnitude) else { throw RuleFailure(.overflow) }
            return .integer(magnitude)
        default: throw value.isNotWhatIsTaken
        }
    }

    private static func rounded(
        _ value: RuleValue, _ rule: FloatingPointRoundingRule
    ) throws(RuleFailure) -> RuleValue {
        switch value {
        case .integer: return value
        case .float(let value): return try .integer(RuleNumber.integer(value.rounded(rule)))
        default: throw value.isNotWhatIsTaken
        }
    }

    /// Returns a power. An infinite result of finite numbers is an overflow; a result that is not a real number is NaN.
    private static func power(_ base: Double, _ exponent: Double) throws(RuleFailure) -> Double {
        let power = pow(base, exponent)
        guard power.isInfinite, base.isFinite, exponent.isFinite else { return power }
        throw RuleFailure(.overflow)
    }
}
