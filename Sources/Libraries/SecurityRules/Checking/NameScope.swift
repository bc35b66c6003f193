/// A name for a value.
struct CheckedVariable {
    var name: String
    /// The kind of declaration in messages: `a parameter`, `a capture`.
    var role: String
    /// The position of the declaration. `nil` outside of the rules' text.
    var range: SourceRange?
    var value: Inferred
    var isUsed = false
}

/// The scope of the service block or a match block.
struct CheckedBlock {
    /// The enclosing block.
    var parent: Int?
    /// The captures of the block and of its enclosing blocks.
    var captures: [CheckedVariable]
    /// The functions of the block by name.
    var functions: [String: Int] = [:]
}

/// A function with its checked properties.
struct CheckedFunction {
    var syntax: FunctionSyntax
    var block: Int
    /// The possible kinds of the result for any arguments; anything until the function is checked.
    var result = KindSet.any
}

/// The declared names and their visibility at the current position.
struct NameScope {
    /// The built-in names.
    enum Mode {
        /// `auth` and `request`.
        case condition
        /// `auth`, `uid`, `provider` and `token`. A value that is computed once for a token has no request.
        case value
    }

    let mode: Mode
    /// The service block and all match blocks, in the order of the text.
    var blocks = [CheckedBlock(parent: nil, captures: [])]
    var functions: [CheckedFunction] = []
    /// The declarations of a file's captures, the first of each name.
    var captures: [String: SourceRange] = [:]
    /// The current block, and the parameters and `let`s of the current function.
    var block = 0
    var locals: [CheckedVariable] = []
    /// The current function. `nil` in a condition.
    var function: Int?

    init(_ mode: Mode) {
        self.mode = mode
    }

    /// Returns the function with this name in a block or the nearest enclosing block.
    func function(named name: String, from block: Int) -> Int? {
        var next: Int? = block
        while let block = next {
            if let function = blocks[block].functions[name] { return function }
            next = blocks[block].parent
        }
        return nil
    }

    /// Returns the visible parameter, `let` or capture with this name.
    func variable(named name: String) -> CheckedVariable? {
        locals.first { RuleText.equal($0.name, name) }
            ?? blocks[block].captures.first { RuleText.equal($0.name, name) }
    }

    /// Returns whether the name is a built-in value.
    func isGlobal(_ name: String) -> Bool {
        switch mode {
        case .condition: name == "auth" || name == "request"
        case .value: name == "auth" || name == "uid" || name == "provider" || name == "token"
        }
    }

    /// Returns whether an expression is the name `request`, which is not a value.
    func isRequest(_ expression: Expression) -> Bool {
        guard mode == .condition, case .name("request") = expression.kind else { return false }
        return true
    }

    /// Returns the name of a namespace. `nil` for other expressions, including a variable with that name.
    func namespace(_ expression: Expression) -> String? {
        guard case .name(let name) = expression.kind, Builtin.namespaces.contains(name), variable(named: name) == nil
        else {
            return nil
        }
        return name
    }
}

extension NameScope {
    /// Declares the blocks and functions of a file before its expressions are checked.
    mutating func declare(_ ruleset: RulesetSyntax, _ findings: inout RuleFindings) {
        declare(ruleset.functions, in: 0, &findings)
        for match in ruleset.matches { declare(match, in: 0, &findings) }
    }

    /// Declares the captures of a pattern outside of the rules' text.
    mutating func declare(_ captures: [RuleCapture], at range: SourceRange, _ findings: inout RuleFindings) {
        if captures.count > RuleLimits.captures {
            findings.fail(
                range,
                "a condition can use at most \(RuleLimits.captures) captures, but the path has \(captures.count)",
                "replace some captures by literal segments")
        }
        for capture in captures.prefix(RuleLimits.captures) {
            let kinds: KindSet = capture.isRest ? .path : .string
            declareCapture(capture.name, kinds, at: range, declaredAt: nil, &findings)
        }
    }

    private mutating func declare(_ match: MatchSyntax, in parent: Int, _ findings: inout RuleFindings) {
        let index = blocks.count
        blocks.append(CheckedBlock(parent: parent, captures: blocks[parent].captures))
        block = index
        for segment in match.segments { declare(segment, &findings) }
        declare(match.functions, in: index, &findings)
        for match in match.matches { declare(match, in: index, &findings) }
    }

    private mutating func declare(_ segment: PatternSegment, _ findings: inout RuleFindings) {
        switch segment.kind {
        case .literal: break
        case .capture(let name): declareCapture(name, .string, at: segment.range, declaredAt: segment.range, &findings)
        case .rest(let name): declareCapture(name, .path, at: segment.range, declaredAt: segment.range, &findings)
        }
    }

    private mutating func declareCapture(
        _ name: String, _ kinds: KindSet, at range: SourceRange, declaredAt: SourceRange?,
        _ findings: inout RuleFindings
    ) {
        if isFree(name, at: range, &findings) { append(name, kinds, declaredAt) }
    }

    private mutating func append(_ name: String, _ kinds: KindSet, _ range: SourceRange?) {
        if let range, captures[name] == nil { captures[name] = range }
        let value = Inferred(kinds: kinds.union(.unreadable), origin: kinds == .path ? .path : .other)
        blocks[block].captures.append(
            CheckedVariable(name: name, role: "a capture", range: range, value: value))
    }

    private mutating func declare(_ declared: [FunctionSyntax], in block: Int, _ findings: inout RuleFindings) {
        for function in declared {
            let name = function.name.text
            if let other = self.function(named: name, from: block) {
                let line = findings.source.line(functions[other].syntax.name.range.start)
                findings.fail(
                    function.name.range, "duplicate function '\(name.shown)', already declared on line \(line)",
                    "rename one of them")
            } else if Builtin.function(name) != nil {
                findings.fail(
                    function.name.range, "'\(name.shown)' is a built-in function",
                    "choose another name")
            }
            if blocks[block].functions[name] == nil { blocks[block].functions[name] = functions.count }
            functions.append(CheckedFunction(syntax: function, block: block))
        }
    }

    /// Returns whether a name is unused, and reports an error otherwise.
    private func isFree(_ name: String, at range: SourceRange, _ findings: inout RuleFindings) -> Bool {
        if mode == .condition, name == "auth" || name == "request" {
            findings.fail(range, "'\(name.shown)' is a built-in name", "choose another name")
            return false
        }
        if Builtin.namespaces.contains(name) {
            findings.fail(
                range, "'\(name.shown)' is a built-in name, as in \(Builtin.example(ofNamespace: name))",
                "choose another name")
            return false
        }
        if let other = variable(named: name) {
            findings.fail(
                range, "duplicate name '\(name.shown)': \(other.role)\(findings.place(other.range))",
                "rename one of them")
            return false
        }
        return true
    }

    /// Declares a parameter or `let` of the current function.
    mutating func declare(local name: Name, _ role: String, _ value: Inferred, _ findings: inout RuleFindings) {
        let isFree = isFree(name.text, at: name.range, &findings)
        // Uses of an ambiguous name cause no further errors.
        let value = isFree ? value : .failed
        locals.append(
            CheckedVariable(name: name.text, role: role, range: name.range, value: value, isUsed: !isFree))
    }
}
