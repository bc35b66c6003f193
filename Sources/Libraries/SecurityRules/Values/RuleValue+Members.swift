extension RuleValue {
    /// `value.name`
    func member(_ name: String, _ work: inout WorkBudget) throws(RuleFailure) -> RuleValue {
        switch self {
        case .map(let map):
            guard let value = try map.value(name, &work) else { throw RuleFailure(.noSuchMember) }
            return value
        case .path(let path): return try Self.segment(name, of: path)
        case .null: throw RuleFailure(.null)
        case .unreadable: throw RuleFailure(.unreadable)
        default: throw RuleFailure(.noSuchMember)
        }
    }

    private static func segment(_ name: String, of path: RulePath) throws(RuleFailure) -> RuleValue {
        guard let segment = path.names.first(where: { RuleText.equal($0.name, name) })?.segment,
            path.segments.indices.contains(segment)
        else { throw RuleFailure(.noSuchMember) }
        return .string(path.segments[segment])
    }

    /// `value[index]`
    func element(_ index: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> RuleValue {
        switch (self, index) {
        case (.unreadable, _), (_, .unreadable): throw RuleFailure(.unreadable)
        case (.null, _): throw RuleFailure(.null)
        case (.map, .string(let key)), (.path, .string(let key)): return try member(key, &work)
        case (.list(let list), .integer(let index)): return list[try Self.index(index, list.count)]
        case (.path(let path), .integer(let index)):
            return .string(path.segments[try Self.index(index, path.segments.count)])
        case (.string(let text), .integer(let index)):
            let (end, isOutside) = index.addingReportingOverflow(1)
            guard !isOutside else { throw RuleFailure(.indexOutOfRange) }
            return .string(try Self.slice(text, index, end, &work))
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// `value[from:to]`
    func slice(_ from: RuleValue, _ to: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> RuleValue {
        switch (self, from, to) {
        case (.unreadable, _, _), (_, .unreadable, _), (_, _, .unreadable): throw RuleFailure(.unreadable)
        case (.null, _, _): throw RuleFailure(.null)
        case (.string(let text), .integer(let from), .integer(let to)):
            return .string(try Self.slice(text, from, to, &work))
        case (.list(let list), .integer(let from), .integer(let to)):
            let range = try Self.range(from, to, list.count)
            try work.take(range.count)
            return .list(Array(list[range]))
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// Returns a range in Unicode scalars, which takes time up to its end.
    private static func slice(
        _ text: String, _ from: Int64, _ to: Int64, _ work: inout WorkBudget
    ) throws(RuleFailure) -> String {
        guard from >= 0, to >= from, let from = Int(exactly: from), let to = Int(exactly: to) else {
            throw RuleFailure(.indexOutOfRange)
        }
        try work.take(min(to, text.utf8.count))
        let scalars = text.unicodeScalars
        guard let start = scalars.index(scalars.startIndex, offsetBy: from, limitedBy: scalars.endIndex),
            let end = scalars.index(start, offsetBy: to - from, limitedBy: scalars.endIndex)
        else { throw RuleFailure(.indexOutOfRange) }
        return String(scalars[start..<end])
    }

    private static func index(_ index: Int64, _ count: Int) throws(RuleFailure) -> Int {
        guard index >= 0, index < count else { throw RuleFailure(.indexOutOfRange) }
        return Int(index)
    }

    private static func range(_ from: Int64, _ to: Int64, _ count: Int) throws(RuleFailure) -> Range<Int> {
        guard from >= 0, from <= to, to <= count else { throw RuleFailure(.indexOutOfRange) }
        return Int(from)..<Int(to)
    }
}
