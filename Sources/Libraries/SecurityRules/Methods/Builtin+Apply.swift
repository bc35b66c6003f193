extension Builtin {
    /// Calls a method.
    func apply(
        _ receiver: RuleValue, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch receiver {
        case .string(let text): return try StringMethods.call(self, on: text, arguments, &work)
        case .list(let elements): return try ListMethods.call(self, on: elements, arguments, &work)
        case .set(let set): return try SetMethods.call(self, on: set, arguments, &work)
        case .map(let map): return try MapMethods.call(self, on: map, arguments, &work)
        case .mapDiff(let diff): return try .set(RuleSet(distinct: diff.keys(named: self, &work)))
        case .bytes(let bytes): return try BytesMethods.call(self, on: bytes, &work)
        case .timestamp(let time): return try TimeMethods.call(self, on: time)
        case .duration(let duration): return try TimeMethods.call(self, on: duration)
        case .path(let path): return try PathMethods.call(self, on: path, arguments, &work)
        case .null: throw RuleFailure(.null)
        case .unreadable: throw RuleFailure(.unreadable)
        case .bool, .integer, .float: throw RuleFailure(.wrongKind)
        }
    }

    /// Calls a function, except `debug`, `recentSignIn` and `secondFactor`, which need the evaluator.
    func apply(_ arguments: borrowing Arguments, _ work: inout WorkBudget) throws(RuleFailure) -> RuleValue {
        switch self {
        case .mathAbs, .mathCeil, .mathFloor, .mathRound, .mathPow, .mathSqrt, .mathIsNaN, .mathIsInfinite:
            return try MathFunctions.call(self, arguments)
        case .hashingMD5, .hashingSHA256, .hashingCRC32, .hashingCRC32C:
            return try HashingFunctions.call(self, arguments, &work)
        case .timestampDate, .timestampValue: return try TimeMethods.callTimestamp(self, arguments)
        case .durationValue, .durationTime, .durationAbs: return try TimeMethods.callDuration(self, arguments)
        case .toInteger: return try .integer(Conversion.integer(arguments[0], &work))
        case .toFloat: return try .float(Conversion.float(arguments[0], &work))
        case .toString: return try .string(Conversion.string(arguments[0], &work))
        case .toBool: return try .bool(Conversion.bool(arguments[0]))
        case .toPath: return try .path(Conversion.path(arguments[0], &work))
        default: throw RuleFailure(.wrongKind)
        }
    }
}
