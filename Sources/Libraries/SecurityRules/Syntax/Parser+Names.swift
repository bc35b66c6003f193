extension Parser {
    /// Words that name nothing, since a name that is also a keyword reads as two things.
    static let reserved: Set<String> = [
        "true", "false", "null", "in", "is", "if", "let", "return", "function", "match", "allow", "service", "and",
        "or",
        "not", "typeof", "new", "undefined", "else", "for", "while", "var", "const",
    ]

    /// Asks whether the current word is one of those, misspelt.
    func meant(among words: [String]) -> String? {
        guard let word = current.word else { return nil }
        return NearestName.of(word, among: words).map { "did you mean \($0)?" }
    }

    /// A name that something is declared by.
    mutating func name(of what: String) throws(Abandoned) -> Name {
        guard let word = current.word else {
            try expected("the name of \(what)", "a name is letters A to Z, digits and '_', as isOwner")
        }
        let name = Name(text: word, range: current.range)
        if Self.reserved.contains(word) {
            fail(current.range, "'\(word)' is a word of the language and cannot name \(what)", "choose another name")
        }
        advance()
        return name
    }
}
