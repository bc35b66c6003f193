/// A compiler of parsed rules. A construct that a check would reject becomes an expression that fails.
struct Compiler {
    /// The visible names at the position of an expression.
    struct Scope {
        /// The captures of the pattern so far, by number.
        var captures: [String] = []
        /// The functions of the enclosing blocks by name. Inner ones hide outer ones.
        var functions: [String: Int32] = [:]
        /// The parameters and `let`s of the function, by number.
        var locals: [String] = []
        /// Whether this is a value over a token, with the names `auth`, `uid`, `provider` and `token`.
        var isOfToken = false
    }

    /// The declaration that contains an expression.
    struct Owner {
        var rule: Int?
        var function: String?
    }

    /// The context of an expression.
    struct Place {
        var range: SourceRange
        var parent: Int32
        var owner: Owner
        /// Whether the expression must be a boolean.
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

    /// Returns the compiled program.
    func program() -> Program {
        Program(
            nodes: nodes, operands: operands, constants: constants, names: names, patterns: patterns,
            functions: functions, rules: rules, matches: matches, source: source)
    }

    /// Reserves the number of an expression, so that it precedes its parts.
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

    /// Returns the number of a compiled pattern. -1 for an invalid pattern, which fails during evaluation.
    mutating func pattern(_ text: String) -> Int32 {
        let key = ElementKey.text(text)
        if let number = patternNumbers[key] { return number }
        guard let pattern = try? RuleRegex(text) else { return -1 }
        patterns.append(pattern)
        let number = Int32(truncatingIfNeeded: patterns.count - 1)
        patternNumbers[key] = number
        return number
    }

    /// Appends a list of operands. All operands must be compiled, since lists do not interleave.
    mutating func list(_ numbers: [Int32]) -> Int32 {
        operands.append(contentsOf: numbers)
        return Int32(truncatingIfNeeded: operands.count - numbers.count)
    }
}
