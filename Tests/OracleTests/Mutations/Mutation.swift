/// One deviation of a token from what Firebase writes.
struct Mutation: Sendable {
    let name: String
    let apply: @Sendable (inout TokenDraft) -> Void

    init(_ name: String, _ apply: @escaping @Sendable (inout TokenDraft) -> Void) {
        self.name = name
        self.apply = apply
    }

    /// Another value of a claim; nil takes it out.
    static func claim(_ name: String, _ value: String?) -> Mutation {
        Mutation("\(name) \(value ?? "missing")") { $0.claims[name] = value }
    }

    /// Another value in the header; nil takes it out.
    static func header(_ name: String, _ value: String?) -> Mutation {
        Mutation("header \(name) \(value ?? "missing")") { $0.header[name] = value }
    }

    /// All but those that draw random numbers.
    static let all: [Mutation] = [claims, times, subjects, firebase, headers, structures, signatures, texts].flatMap {
        $0
    }
}
