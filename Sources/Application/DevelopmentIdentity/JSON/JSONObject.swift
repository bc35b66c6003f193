/// The members of a JSON object in the order they were put in.
///
/// Assigning a member replaces it in its place; `append` adds one without looking, so that a test can write an object
/// with two members of the same name.
public struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One member.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSON
    }

    /// All members, in order.
    public private(set) var members: [Member] = []

    /// An object without members.
    public init() {}

    /// The members as written in the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }

    /// The first member of that name; assigning `nil` removes every one of them.
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

    /// Adds a member at the end, even where one of that name exists.
    public mutating func append(_ name: String, _ value: JSON) {
        members.append(Member(name: name, value: value))
    }

    /// Assigns every member of `other`.
    public mutating func merge(_ other: JSONObject) {
        for member in other.members { self[member.name] = member.value }
    }

    /// Sets the member at the end of a path; objects on the way are made, other values on the way are replaced by objects.
    ///
    /// - Parameter value: `nil` removes the member.
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
