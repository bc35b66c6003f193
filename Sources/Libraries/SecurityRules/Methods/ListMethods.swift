enum ListMethods {
    static func call(
        _ builtin: Builtin, on elements: [RuleValue], _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .size: return .integer(Int64(elements.count))
        case .hasAll, .hasAny, .hasOnly:
            return try .bool(membership(builtin, elements, arguments.elements(0), &work))
        case .toSet: return try .set(RuleSet(elements, &work))
        case .join: return try .string(join(elements, arguments.string(0), &work))
        case .concat:
            let others = try arguments.list(0)
            try work.take(elements.count + others.count)
            return .list(elements + others)
        case .removeAll:
            let unwanted = try arguments.list(0)
            return try .list(Self.elements(of: elements, among: unwanted, isWanted: false, &work))
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// Evaluates `hasAll`, `hasAny` and `hasOnly` for lists and sets.
    static func membership(
        _ builtin: Builtin, _ own: [RuleValue], _ others: [RuleValue], _ work: inout WorkBudget
    ) throws(RuleFailure) -> Bool {
        switch builtin {
        case .hasAll: try Membership(of: own, for: others.count, &work).hasAll(others, &work)
        case .hasAny: try Membership(of: own, for: others.count, &work).hasAny(others, &work)
        default: try Membership(of: others, for: own.count, &work).hasAll(own, &work)
        }
    }

    /// Returns the elements that are among others, or that are not, in their order.
    static func elements(
        of own: [RuleValue], among others: [RuleValue], isWanted: Bool, _ work: inout WorkBudget
    ) throws(RuleFailure) -> [RuleValue] {
        try work.take(own.count)
        let membership = try Membership(of: others, for: own.count, &work)
        var kept: [RuleValue] = []
        for element in own where try membership.contains(element, &work) == isWanted { kept.append(element) }
        return kept
    }

    /// Joins strings. Other values have to be converted with `string()`.
    private static func join(
        _ elements: [RuleValue], _ separator: String, _ work: inout WorkBudget
    ) throws(RuleFailure) -> String {
        var joined = ""
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else { throw element.isNotWhatIsTaken }
            try work.take(bytes: separator.utf8.count + text.utf8.count)
            if index > 0 { joined += separator }
            joined += text
        }
        return joined
    }
}

enum SetMethods {
    static func call(
        _ builtin: Builtin, on set: RuleSet, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        let own = set.elements
        switch builtin {
        case .size: return .integer(Int64(own.count))
        case .hasAll, .hasAny, .hasOnly:
            return try .bool(ListMethods.membership(builtin, own, arguments.elements(0), &work))
        case .intersection:
            return try Self.set(ListMethods.elements(of: own, among: arguments.set(0).elements, isWanted: true, &work))
        case .difference:
            return try Self.set(ListMethods.elements(of: own, among: arguments.set(0).elements, isWanted: false, &work))
        case .union:
            let others = try arguments.set(0).elements
            try work.take(own.count)
            return try Self.set(own + ListMethods.elements(of: others, among: own, isWanted: false, &work))
        default: throw RuleFailure(.wrongKind)
        }
    }

    private static func set(_ distinct: [RuleValue]) -> RuleValue { .set(RuleSet(distinct: distinct)) }
}
