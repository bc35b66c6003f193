/// Changes of a text's bytes, each with what it does. Collected by statements: a literal of many closures takes the
/// compiler minutes.
struct NamedEdits: Sendable {
    private(set) var list: [(name: String, edit: TokenDraft.Edit)] = []

    init(_ fill: (inout NamedEdits) -> Void) {
        fill(&self)
    }

    mutating func add(_ name: String, _ edit: @escaping TokenDraft.Edit) { list.append((name, edit)) }

    /// The text put before and behind.
    mutating func addOutside(_ text: String) {
        let bytes = Array(text.utf8)
        add("then \(text.debugDescription)") { $0 + bytes }
        add("after \(text.debugDescription)") { bytes + $0 }
    }

    /// The text put so many bytes from the beginning, where there are as many.
    mutating func addInside(_ text: String, at place: Int) {
        let bytes = Array(text.utf8)
        add("with \(text.debugDescription) at \(place)") { old in
            var new = old
            new.insert(contentsOf: bytes, at: min(place, old.count))
            return new
        }
    }
}
