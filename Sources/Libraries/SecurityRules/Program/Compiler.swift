/// Makes programs of what was parsed and checked. What a checker would have refused becomes an expression that fails.
struct Compiler {
    /// What names stand for where an expression stands.
    struct Scope {
        /// The captures of the pattern so far, by their numbers.
        var captures: [String] = []
        /// The functions of the blocks around, by name; an inner one hides an outer one.
        var functions: [String: Int32] = [:]
        /// The parameters and `let`s of the function, by their numbers.
        var locals: [String] = []
        /// Whether names are those of a value over a token alone: `auth`, and `uid`, `provider` and `token` of it.
        var isOfToken = false
    }

    /// What an expression belongs to.
    struct Owner {
        var rule: Int?
        var function: String?
    }

    /// Where an expression stands.
    struct Place {
        var range: SourceRange
        var parent: Int32
        var owner: Owner
        /// Whether it is in a place where only true and false make sense.
        var isCondition: Bool
    }

    let source: RuleSource
    var nodes: [ProgramNode] = []
    var places: [Place] = []
    var operands: [Int32] = []
    var constants: [RuleValue] = []
    var names: [String] = []
    var patterns: [RuleRegex] = []
    var functions: [Program.Function] = []
    var rules: [Program.Rule] = []
    var statements: [RuleStatement] = []
    var matches = MatchTree()
    var owner = Owner()
    private var nameNumbers: [String: Int32] = [:]
    private var patternNumbers: [ElementKey: Int32] = [:]

    init(_ source: RuleSource) {
        self.source = source
    }

    /// The program of all that was compiled.
    func program() -> Program {
        Program(
            nodes: nodes, operands: operands, constants: constants, names: names, patterns: patterns,
            functions: functions, rules: rules, matches: matches)
    }

    /// Keeps a place for an expression, so that it comes before its parts.
    mutating func reserve(_ range: SourceRange, parent: Int32) -> Int32 {
        let number = Int32(truncatingIfNeeded: nodes.count)
        nodes.append(ProgramNode(operation: .unknown))
        places.append(Place(range: range, parent: parent, owner: owner, isCondition: false))
        return number
    }

    mutating func constant(_ value: RuleValue) -> Int32 {
        constants.append(value)
        return Int32(truncatingIfNeeded: constants.count - 1)
    }

    mutating func name(_ text: String) -> Int32 {
        if let number = nameNumbers[text] { return number }
        names.append(text)
        let number = Int32(truncatingIfNeeded: names.count - 1)
        nameNumbers[text] = number
        return number
    }

    /// A pattern, compiled; -1: it is no regular expression, which fails when it is evaluated.
    mutating func pattern(_ text: String) -> Int32 {
        let key = ElementKey.text(text)
        if let number = patternNumbers[key] { return number }
        guard let pattern = try? RuleRegex(text) else { return -1 }
        patterns.append(pattern)
        let number = Int32(truncatingIfNeeded: patterns.count - 1)
        patternNumbers[key] = number
        return number
    }

    /// Lists operands; they must be known, as lists do not interleave.
    mutating func list(_ numbers: [Int32]) -> Int32 {
        operands.append(contentsOf: numbers)
        return Int32(truncatingIfNeeded: operands.count - numbers.count)
    }
}
