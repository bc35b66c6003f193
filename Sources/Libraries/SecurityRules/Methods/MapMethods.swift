extension Builtin {
    func call(
        onMap map: RuleMap, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch self {
        case .size: return .integer(Int64(map.count))
        case .keys:
            try work.take(map.count)
            return .list(map.entries.map { .string($0.key) })
        case .values:
            try work.take(map.count)
            return .list(map.entries.map(\.value))
        case .get: return try Self.get(map, arguments, &work)
        case .diff: return try .mapDiff(RuleMapDiff(map, arguments.map(0)))
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// The value under a key, or under a list of keys, each of the map under the one before; else the default.
    private static func get(
        _ map: RuleMap, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch arguments[0] {
        case .string(let key): return try map.value(key, &work) ?? arguments[1]
        case .list(let keys): return try value(.map(map), keys, &work) ?? arguments[1]
        default: throw arguments[0].isNotWhatIsTaken
        }
    }

    private static func value(
        _ root: RuleValue, _ keys: [RuleValue], _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue? {
        guard !keys.isEmpty else { throw RuleFailure(.invalidArgument) }
        var current = root
        for key in keys {
            guard case .string(let key) = key else { throw key.isNotWhatIsTaken }
            if case .unreadable = current { throw RuleFailure(.unreadable) }
            guard case .map(let map) = current, let value = try map.value(key, &work) else { return nil }
            current = value
        }
        return current
    }
}
