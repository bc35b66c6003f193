extension KindSet {
    static let unreadable = KindSet(.unreadable)
    /// What has members or elements by `in`.
    static let collection: KindSet = [list, set, map]

    /// Without what no operation takes.
    var readable: KindSet { subtracting(.unreadable) }

    /// Whether nothing is known.
    var isAnything: Bool { readable == KindSet.any.readable }

    /// Whether a value of these kinds may be one of those.
    func fits(_ other: KindSet) -> Bool { !readable.isDisjoint(with: other) }

    /// Whether something is known of a value, and one of those is what it may be.
    func isKnown(as other: KindSet) -> Bool { !isAnything && fits(other) }

    /// Whether a value of these kinds may be equal to one of those: numbers are, whatever their kind.
    func mayEqual(_ other: KindSet) -> Bool { fits(other) || (fits(.number) && other.fits(.number)) }

    /// As messages name them: `string`, `map or null`, `number`.
    var text: String {
        isAnything ? "any value" : names.joined(separator: " or ")
    }

    /// The kinds, one by one; int and float together are `number`.
    var names: [String] {
        var names = RuleValue.Kind.allCases.filter { readable.contains(KindSet($0)) }.map(\.name)
        if isSuperset(of: .number) {
            names.removeAll { $0 == "int" || $0 == "float" }
            names.insert("number", at: 0)
        }
        // Null is told last: `map or null`.
        if let null = names.firstIndex(of: "null") { names.append(names.remove(at: null)) }
        return names
    }

    /// `a string`, `an int`, `bytes`, `null`, `a map or null`, `any value`.
    var described: String {
        let text = text
        if text == "null" || text.hasPrefix("bytes") || isAnything { return text }
        return (text.hasPrefix("int") ? "an " : "a ") + text
    }

    /// The kinds that `is` asks for by a name. `nil` if there is no such type.
    static func type(named name: String) -> KindSet? {
        if name == "number" { return .number }
        return RuleValue.Kind.allCases.first { $0.name == name && $0 != .null && $0 != .unreadable }.map(KindSet.init)
    }

    /// The names of `type(named:)`.
    static let typeNames = [
        "bool", "bytes", "float", "int", "list", "map", "map_diff", "number", "path", "set", "string", "duration",
        "timestamp",
    ]
}
