extension KindSet {
    static let unreadable = KindSet(.unreadable)
    /// The kinds that `in` accepts on its right side.
    static let collection: KindSet = [list, set, map]

    /// The kinds without `unreadable`, which no operation accepts.
    var readable: KindSet { subtracting(.unreadable) }

    /// Whether nothing is known about the value.
    var isAnything: Bool { readable == KindSet.any.readable }

    /// Returns whether a value of these kinds may be of one of the other kinds.
    func fits(_ other: KindSet) -> Bool { !readable.isDisjoint(with: other) }

    /// Returns whether the kinds are known and include one of the other kinds.
    func isKnown(as other: KindSet) -> Bool { !isAnything && fits(other) }

    /// Returns whether a value of these kinds may equal a value of the other kinds. All kinds of numbers are
    /// comparable.
    func mayEqual(_ other: KindSet) -> Bool { fits(other) || (fits(.number) && other.fits(.number)) }

    /// The kinds in messages: `string`, `map or null`, `number`.
    var text: String {
        isAnything ? "any value" : names.joined(separator: " or ")
    }

    /// The names of the kinds. Int and float together are `number`.
    var names: [String] {
        var names = RuleValue.Kind.allCases.filter { readable.contains(KindSet($0)) }.map(\.name)
        if isSuperset(of: .number) {
            names.removeAll { $0 == "int" || $0 == "float" }
            names.insert("number", at: 0)
        }
        // Null comes last: `map or null`.
        if let null = names.firstIndex(of: "null") { names.append(names.remove(at: null)) }
        return names
    }

    /// The kinds with an article: `a string`, `an int`, `bytes`, `null`, `a map or null`, `any value`.
    var described: String {
        let text = text
        if text == "null" || text.hasPrefix("bytes") || isAnything { return text }
        return (text.hasPrefix("int") ? "an " : "a ") + text
    }

    /// Returns the kinds that a type name of `is` tests for. `nil` for an unknown type.
    static func type(named name: String) -> KindSet? {
        if name == "number" { return .number }
        return RuleValue.Kind.allCases.first { $0.name == name && $0 != .null && $0 != .unreadable }.map(KindSet.init)
    }

    /// The names that `type(named:)` accepts.
    static let typeNames = [
        "bool", "bytes", "float", "int", "list", "map", "map_diff", "number", "path", "set", "string", "duration",
        "timestamp",
    ]
}
