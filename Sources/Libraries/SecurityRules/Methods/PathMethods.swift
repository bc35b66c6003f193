enum PathMethods {
    static func call(
        _ builtin: Builtin, on path: RulePath, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        guard builtin == .bind else { throw RuleFailure(.wrongKind) }
        return try .path(path.binding(arguments.map(0), &work))
    }
}

extension RulePath {
    /// Returns the path with each segment `$(name)` replaced by the value of that name in a map: a string for one
    /// segment, or a path.
    ///
    /// Inserted segments are not replaced again. A missing name is a failure.
    func binding(_ map: RuleMap, _ work: inout WorkBudget) throws(RuleFailure) -> RulePath {
        var bound: [String] = []
        var boundNames: [(name: String, segment: Int)] = []
        for (index, segment) in segments.enumerated() {
            try work.take(bytes: segment.utf8.count)
            for entry in names where entry.segment == index { boundNames.append((entry.name, bound.count)) }
            guard let name = Self.placeholder(segment) else {
                bound.append(segment)
                continue
            }
            guard let value = try map.value(name, &work) else { throw RuleFailure(.noSuchMember) }
            boundNames.append((name, bound.count))
            bound += try Self.segments(value)
            guard bound.count <= RuleLimits.pathSegments else { throw RuleFailure(.invalidArgument) }
        }
        return RulePath(bound, names: boundNames)
    }

    private static func segments(_ value: RuleValue) throws(RuleFailure) -> [String] {
        switch value {
        case .path(let path): return path.segments
        case .string(let text) where !text.isEmpty: return [text]
        case .string: throw RuleFailure(.invalidArgument)
        default: throw value.isNotWhatIsTaken
        }
    }

    /// Returns `name` for `$(name)`. `nil` for other segments.
    private static func placeholder(_ segment: String) -> String? {
        let bytes = segment.utf8
        guard bytes.count > 3, bytes.starts(with: "$(".utf8), bytes.last == UInt8(ascii: ")") else { return nil }
        return String(Substring(bytes.dropFirst(2).dropLast()))
    }
}
