extension Builtin {
    func call(
        onSet set: RuleSet, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        let own = set.elements
        switch self {
        case .size: return .integer(Int64(own.count))
        case .hasAll, .hasAny, .hasOnly: return try .bool(callMembership(own, arguments.elements(0), &work))
        case .intersection:
            return try Self.set(Self.elements(of: own, among: arguments.set(0).elements, isWanted: true, &work))
        case .difference:
            return try Self.set(Self.elements(of: own, among: arguments.set(0).elements, isWanted: false, &work))
        case .union:
            let others = try arguments.set(0).elements
            try work.take(own.count)
            return try Self.set(own + Self.elements(of: others, among: own, isWanted: false, &work))
        default: throw RuleFailure(.wrongKind)
        }
    }

    private static func set(_ distinct: [RuleValue]) -> RuleValue { .set(RuleSet(distinct: distinct)) }
}
