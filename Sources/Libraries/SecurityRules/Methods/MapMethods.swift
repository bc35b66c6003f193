enum MapMethods {
    static func call(
        _ builtin: Builtin, on map: RuleMap, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .size: return .integer(Int64(map.count))
        case .keys:
            try work.take(map.count)
            return .list(map.entries.map { .string($0.key) })
        case .values:
            try work.take(map.count)
            return .list(map.entries.map(\.value))
        case .get: return try get(map, arguments, &work)
        case .diff: return try .mapDiff(RuleMapDiff(map, arguments.map(0)))
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// Returns the value of a key, or of a list of keys of nested maps, or else the default.
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

/// The change of a key.
private struct KeyChange: OptionSet {
    let rawValue: UInt8

    /// The key is only in the receiver of `diff`.
    static let added = KeyChange(rawValue: 1)
    /// The key is only in the argument.
    static let removed = KeyChange(rawValue: 2)
    /// The key is in both maps, with different values.
    static let changed = KeyChange(rawValue: 4)
    /// The key is in both maps, with equal values.
    static let unchanged = KeyChange(rawValue: 8)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init?(_ method: Builtin) {
        switch method {
        case .addedKeys: self = .added
        case .removedKeys: self = .removed
        case .changedKeys: self = .changed
        case .unchangedKeys: self = .unchanged
        case .affectedKeys: self = [.added, .removed, .changed]
        default: return nil
        }
    }
}

extension RuleMapDiff {
    /// Returns the keys of a method's kind of change, in order.
    func keys(named method: Builtin, _ work: inout WorkBudget) throws(RuleFailure) -> [RuleValue] {
        guard let wanted = KeyChange(method) else { throw RuleFailure(.wrongKind) }
        try work.take(map.count + other.count)
        var keys: [RuleValue] = []
        var (left, right) = (map.entries[...], other.entries[...])
        // Both maps are sorted by key, so the lower of the two heads is next.
        while !left.isEmpty || !right.isEmpty {
            let order = try Self.order(left.first?.key, right.first?.key, &work)
            let key = order <= 0 ? left.first?.key : right.first?.key
            let a = order <= 0 ? left.popFirst()?.value : nil
            let b = order >= 0 ? right.popFirst()?.value : nil
            if let key, try wanted.contains(Self.change(a, b, wanted, &work)) { keys.append(.string(key)) }
        }
        return keys
    }

    /// The end of a map is after all keys.
    private static func order(_ a: String?, _ b: String?, _ work: inout WorkBudget) throws(RuleFailure) -> Int {
        guard let a else { return 1 }
        guard let b else { return -1 }
        try work.take(bytes: min(a.utf8.count, b.utf8.count))
        return RuleText.compare(a, b)
    }

    private static func change(
        _ a: RuleValue?, _ b: RuleValue?, _ wanted: KeyChange, _ work: inout WorkBudget
    ) throws(RuleFailure) -> KeyChange {
        guard let a else { return .removed }
        guard let b else { return .added }
        // Values are compared only if the result depends on it.
        guard wanted.contains(.changed) || wanted.contains(.unchanged) else { return .unchanged }
        return try RuleValue.equal(a, b, &work) ? .unchanged : .changed
    }
}
