/// The members of a JSON object in insertion order.
///
/// Assigning a member replaces it in place. `append` does not check for duplicates, so that a test can write an object
/// with a repeated name.
public struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One member.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSON
    }

    /// All members in order.
    public private(set) var members: [Member] = []

    /// Creates an empty object.
    public init() {}

    /// Creates an object with the members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }

    /// The first member with that name. Assigning `nil` removes all of them.
    public subscript(_ name: String) -> JSON? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                append(name, newValue)
            }
        }
    }

    /// Appends a member, even if the name exists.
    public mutating func append(_ name: String, _ value: JSON) {
        members.append(Member(name: name, value: value))
    }

    /// Assigns all members of `other`.
    public mutating func merge(_ other: JSONObject) {
        for member in other.members { self[member.name] = member.value }
    }

    /// Sets the member at a path. Missing or other intermediate values are replaced by objects.
    ///
    /// - Parameter value: The value, or `nil` to remove the member.
    public mutating func set(_ path: some Collection<String>, to value: JSON?) {
        guard let name = path.first else { return }
        let rest = path.dropFirst()
        guard !rest.isEmpty else { return self[name] = value }
        var inner = JSONObject()
        if case .object(let existing)? = self[name] { inner = existing }
        inner.set(rest, to: value)
        self[name] = .object(inner)
    }
}
