/// The members of a JSON object as they will be written: in order, repeated where a test wants that, each as JSON text.
struct Members: Sendable {
    /// Names with their quotes.
    private(set) var list: [(name: String, value: String)] = []

    init(_ members: KeyValuePairs<String, String>) {
        list = members.map { ("\"\($0.key)\"", $0.value) }
    }

    /// The JSON text of the first value of a name; setting nil takes all out.
    subscript(name: String) -> String? {
        get { list.first { $0.name == "\"\(name)\"" }?.value }
        set {
            let index = list.firstIndex { $0.name == "\"\(name)\"" }
            guard let newValue else { return list.removeAll { $0.name == "\"\(name)\"" } }
            if let index { list[index].value = newValue } else { append("\"\(name)\"", newValue) }
        }
    }

    mutating func append(_ quotedName: String, _ value: String) { list.append((quotedName, value)) }

    mutating func prepend(_ quotedName: String, _ value: String) { list.insert((quotedName, value), at: 0) }

    /// Spells a name otherwise, the value being as it is.
    mutating func rename(_ name: String, to quotedName: String) {
        for index in list.indices where list[index].name == "\"\(name)\"" { list[index].name = quotedName }
    }

    var text: String { "{" + list.map { "\($0.name):\($0.value)" }.joined(separator: ",") + "}" }
}
