/// Numeric operations across integers and floats.
enum RuleNumber {
    /// 2^63: the first float beyond all integers.
    static let integerBound = 9_223_372_036_854_775_808.0

    /// Compares an integer and a float exactly, without conversion.
    static func compare(_ a: Int64, _ b: Double) -> RuleOrder {
        guard !b.isNaN else { return .unordered }
        if b >= integerBound { return .less }
        if b < -integerBound { return .greater }
        let whole = Int64(b)
        guard a == whole else { return a < whole ? .less : .greater }
        let rest = b - Double(whole)
        return rest == 0 ? .equal : rest > 0 ? .less : .greater
    }

    /// Compares two floats.
    static func compare(_ a: Double, _ b: Double) -> RuleOrder {
        if a < b { return .less }
        if a > b { return .greater }
        return a == b ? .equal : .unordered
    }

    /// Converts an integral float to an integer.
    static func integer(_ value: Double) throws(RuleFailure) -> Int64 {
        guard !value.isNaN else { throw RuleFailure(.invalidArgument) }
        guard value >= -integerBound, value < integerBound else { throw RuleFailure(.overflow) }
        return Int64(value)
    }
}
