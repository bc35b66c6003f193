extension Checker {
    /// Makes the blocks and functions of a file known, before anything in them is looked at.
    mutating func declare(_ ruleset: RulesetSyntax) {
        blocks = [CheckedBlock(parent: nil, captures: [])]
        declare(ruleset.functions, in: 0)
        for match in ruleset.matches { declare(match, in: 0) }
    }

    /// The captures of a pattern that stands outside of the rules' text.
    mutating func declare(_ captures: [RuleCapture], at range: SourceRange) {
        blocks = [CheckedBlock(parent: nil, captures: [])]
        if captures.count > RuleLimits.captures {
            findings.fail(
                range, "a condition knows \(RuleLimits.captures) captures at most, and the path has \(captures.count)",
                "match some of its segments as they are written")
        }
        for capture in captures.prefix(RuleLimits.captures) {
            let kinds: KindSet = capture.isRest ? .path : .string
            declareCapture(capture.name, kinds, at: range, declaredAt: nil)
        }
    }

    private mutating func declare(_ match: MatchSyntax, in parent: Int) {
        let index = blocks.count
        blocks.append(CheckedBlock(parent: parent, captures: blocks[parent].captures))
        block = index
        for segment in match.segments { declare(segment) }
        declare(match.functions, in: index)
        for match in match.matches { declare(match, in: index) }
    }

    private mutating func declare(_ segment: PatternSegment) {
        switch segment.kind {
        case .literal: break
        case .capture(let name): declareCapture(name, .string, at: segment.range, declaredAt: segment.range)
        case .rest(let name): declareCapture(name, .path, at: segment.range, declaredAt: segment.range)
        }
    }

    private mutating func declareCapture(
        _ name: String, _ kinds: KindSet, at range: SourceRange, declaredAt: SourceRange?
    ) {
        if isFree(name, at: range) { append(name, kinds, declaredAt) }
    }

    private mutating func append(_ name: String, _ kinds: KindSet, _ range: SourceRange?) {
        if let range, captures[name] == nil { captures[name] = range }
        let value = Inferred(kinds: kinds.union(.unreadable), origin: kinds == .path ? .path : .other)
        blocks[block].captures.append(CheckedVariable(name: name, role: "a capture", range: range, value: value))
    }

    private mutating func declare(_ declared: [FunctionSyntax], in block: Int) {
        for function in declared {
            let name = function.name.text
            if let other = self.function(named: name, from: block) {
                let line = findings.source.line(functions[other].syntax.name.range.start)
                findings.fail(
                    function.name.range, "there is a function '\(Self.quote(name))' already on line \(line)",
                    "give this one another name")
            } else if Builtin.function(name) != nil {
                findings.fail(
                    function.name.range, "'\(Self.quote(name))' is a function of the language",
                    "give yours another name")
            }
            if blocks[block].functions[name] == nil { blocks[block].functions[name] = functions.count }
            functions.append(CheckedFunction(syntax: function, block: block))
        }
    }

    /// The function that a name means in a block: of the block itself, or of the nearest around it.
    func function(named name: String, from block: Int) -> Int? {
        var next: Int? = block
        while let block = next {
            if let function = blocks[block].functions[name] { return function }
            next = blocks[block].parent
        }
        return nil
    }

    /// Whether nothing has a name yet; tells what has.
    mutating func isFree(_ name: String, at range: SourceRange) -> Bool {
        if mode == .condition, name == "auth" || name == "request" {
            findings.fail(range, "'\(Self.quote(name))' is a name of the language", "give yours another name")
            return false
        }
        if Builtin.namespaces.contains(name) {
            findings.fail(
                range, "'\(Self.quote(name))' is a name of the language, as in \(Self.example(ofNamespace: name))",
                "give yours another name")
            return false
        }
        if let other = variable(named: name) {
            findings.fail(
                range, "'\(Self.quote(name))' is there already: \(other.role)\(place(other.range))",
                "give this one another name")
            return false
        }
        return true
    }

    static func example(ofNamespace name: String) -> String {
        switch name {
        case "math": "math.abs(-1)"
        case "hashing": "hashing.sha256('a')"
        case "timestamp": "timestamp.date(2027, 1, 31)"
        default: "duration.value(5, 'm')"
        }
    }

    /// A parameter, `let` or capture that can be seen where the checker is.
    func variable(named name: String) -> CheckedVariable? {
        locals.first { RuleText.equal($0.name, name) }
            ?? blocks[block].captures.first { RuleText.equal($0.name, name) }
    }

    func place(_ range: SourceRange?) -> String {
        guard let range else { return " of the path" }
        return " on line \(findings.source.line(range.start))"
    }
}
