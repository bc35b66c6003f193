/// One deviation of a token from Firebase's tokens.
struct Mutation: Sendable {
    let name: String
    let apply: @Sendable (inout TokenDraft) -> Void

    init(_ name: String, _ apply: @escaping @Sendable (inout TokenDraft) -> Void) {
        self.name = name
        self.apply = apply
    }

    /// Replaces the value of a claim; `nil` removes the claim.
    static func claim(_ name: String, _ value: String?) -> Mutation {
        Mutation("\(name) \(value ?? "missing")") { $0.claims[name] = value }
    }

    /// Replaces a value in the header; `nil` removes it.
    static func header(_ name: String, _ value: String?) -> Mutation {
        Mutation("header \(name) \(value ?? "missing")") { $0.header[name] = value }
    }

    /// All mutations that draw no random numbers.
    static let all: [Mutation] = [claims, times, subjects, firebase, headers, structures, signatures, texts].flatMap {
        $0
    }
}

/// Changes of the bytes of a text, each with a name. They are collected by statements, because a literal of many
/// closures takes the compiler minutes.
struct NamedEdits: Sendable {
    private(set) var list: [(name: String, edit: TokenDraft.Edit)] = []

    init(_ fill: (inout NamedEdits) -> Void) {
        fill(&self)
    }

    mutating func add(_ name: String, _ edit: @escaping TokenDraft.Edit) { list.append((name, edit)) }

    /// Adds the text before, and after.
    mutating func addOutside(_ text: String) {
        let bytes = Array(text.utf8)
        add("then \(text.debugDescription)") { $0 + bytes }
        add("after \(text.debugDescription)") { bytes + $0 }
    }

    /// Inserts the text after this many bytes, or at the end.
    mutating func addInside(_ text: String, at place: Int) {
        let bytes = Array(text.utf8)
        add("with \(text.debugDescription) at \(place)") { old in
            var new = old
            new.insert(contentsOf: bytes, at: min(place, old.count))
            return new
        }
    }
}
