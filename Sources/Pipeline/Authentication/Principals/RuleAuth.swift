package import JOSE
package import Revocation
package import SecurityRules

/// The `auth` variable in the form that rules read. Created once per token and cached with it, if there are rules.
package struct RuleAuth: Sendable {
    /// A map of `uid`, `provider`, `project` and `token`.
    package let value: RuleValue
    /// The approximate size in memory, in bytes.
    let size: Int

    package init(_ principal: Principal) {
        self.init(
            uid: principal.uid, provider: principal.provider, project: principal.project,
            claims: principal.claims.root)
    }

    /// Creates the variable of an identity without an account.
    package init(_ link: IdentityLink, claims: JSONDocument) {
        self.init(uid: link.name, provider: Principal.shortName(of: link.provider), project: nil, claims: claims.root)
    }

    private init(uid: String, provider: String?, project: String?, claims: JSONValue) {
        var reader = ClaimReader()
        value = .map(
            RuleMap([
                ("uid", reader.string(uid)), ("provider", provider.map { reader.string($0) } ?? .null),
                ("project", project.map { reader.string($0) } ?? .null), ("token", reader.value(of: claims)),
            ]))
        size = reader.size + ClaimReader.container + 4 * ClaimReader.entry
    }

    /// Returns a JSON value in the form in which rules read claims.
    package static func value(of json: JSONValue) -> RuleValue {
        var reader = ClaimReader()
        return reader.value(of: json)
    }
}

/// A converter of claims into rule values, which sums up their sizes.
private struct ClaimReader {
    /// The memory overhead of an object on the heap. A map consists of two objects.
    static let container = 96
    static let entry = MemoryLayout<(key: String, value: RuleValue)>.stride
    private static let element = MemoryLayout<RuleValue>.stride

    private(set) var size = 0

    /// Converts a value recursively. The depth of the claims is bounded.
    mutating func value(of json: JSONValue) -> RuleValue {
        switch json.kind {
        case .null: return .null
        case .bool: return json.bool.map(RuleValue.bool) ?? .unreadable
        // Beyond 64 bits: the nearest float would be a different number.
        case .integer: return json.integer.map(RuleValue.integer) ?? .unreadable
        case .number: return json.double.map(RuleValue.float) ?? .unreadable
        case .string: return json.string.map { string($0) } ?? .unreadable
        case .array: return list(json)
        case .object: return map(json)
        }
    }

    mutating func string(_ text: String) -> RuleValue {
        count(text)
        return .string(text)
    }

    private mutating func list(_ json: JSONValue) -> RuleValue {
        size += Self.container + json.count * Self.element
        var elements: [RuleValue] = []
        elements.reserveCapacity(json.count)
        for element in json.elements { elements.append(value(of: element)) }
        return .list(elements)
    }

    private mutating func map(_ json: JSONValue) -> RuleValue {
        size += Self.container + json.count * Self.entry
        var entries: [(key: String, value: RuleValue)] = []
        entries.reserveCapacity(json.count)
        for (name, member) in json.members {
            count(name)
            entries.append((name, value(of: member)))
        }
        return .map(RuleMap(entries))
    }

    /// Counts the size of text. A `String` stores up to 15 bytes inline.
    private mutating func count(_ text: String) {
        if text.utf8.count > 15 { size += text.utf8.count + 32 }
    }
}
