extension Compiler {
    /// Compiles a rules file.
    mutating func compile(_ ruleset: RulesetSyntax) {
        var scope = Scope()
        declare(ruleset.functions, in: &scope)
        for match in ruleset.matches { compile(match, MatchPattern(), scope) }
    }

    /// Compiles a route's condition.
    mutating func compile(condition: Expression, captures: [RuleCapture], label: String) {
        var scope = Scope()
        scope.captures = captures.map(\.name)
        matches.captures = captures.map { capture in
            let segment = Int32(clamping: max(capture.segment, 0))
            return capture.isRest ? .rest(segment, end: 0) : .segment(segment)
        }
        owner = Owner(rule: 0)
        let root = self.condition(condition, scope)
        rules = [Program.Rule(operations: .all, condition: root)]
        statements = [
            RuleStatement(
                location: source.location(condition.range.start), label: label, text: source.text(condition.range),
                methods: "", pattern: "", condition: Int(root))
        ]
    }

    /// Compiles a value over a token.
    mutating func compile(value: Expression) -> Int32 {
        var scope = Scope()
        scope.isOfToken = true
        return expression(value, scope, parent: -1)
    }

    /// Numbers the functions of a block first, since they can call each other in any order.
    private mutating func declare(_ declared: [FunctionSyntax], in scope: inout Scope) {
        let first = functions.count
        for function in declared {
            scope.functions[function.name.text] = Int32(truncatingIfNeeded: functions.count)
            functions.append(Program.Function(parameters: Int32(truncatingIfNeeded: function.parameters.count)))
        }
        for (offset, function) in declared.enumerated() {
            functions[first + offset] = compile(function, scope)
        }
    }

    private mutating func compile(_ function: FunctionSyntax, _ outer: Scope) -> Program.Function {
        owner = Owner(function: function.name.text)
        var scope = outer
        scope.locals = function.parameters.map(\.text)
        var lets: [Int32] = []
        for binding in function.lets {
            lets.append(expression(binding.value, scope, parent: -1))
            scope.locals.append(binding.name.text)
        }
        return Program.Function(
            parameters: Int32(truncatingIfNeeded: function.parameters.count), lets: list(lets),
            letCount: Int32(truncatingIfNeeded: lets.count), result: expression(function.result, scope, parent: -1))
    }

    private mutating func compile(_ match: MatchSyntax, _ outer: MatchPattern, _ outerScope: Scope) {
        var (pattern, scope) = (outer, outerScope)
        let start = pattern.connectionContext.count
        for segment in match.segments { pattern.append(segment) }
        scope.captures = pattern.names
        declare(match.functions, in: &scope)
        let number = matches.blocks.count
        let allows = compile(match.allows, pattern, scope)
        let operations = match.allows.reduce(into: RuleOperationSet()) { $0.formUnion($1.operations) }
        let connectionContext = matches.append(pattern.connectionContext[start...])
        let tail = pattern.tail.map { matches.append($0[...]) }
        matches.blocks.append(
            MatchTree.Block(
                connectionContext: connectionContext, start: Int32(truncatingIfNeeded: start), tail: tail,
                captures: matches.append(capturesOf: pattern), rules: allows, operations: operations,
                allOperations: operations,
                next: 0))
        for inner in match.matches {
            let first = matches.blocks.count
            compile(inner, pattern, scope)
            matches.blocks[number].allOperations.formUnion(matches.blocks[first].allOperations)
        }
        matches.blocks[number].next = Int32(truncatingIfNeeded: matches.blocks.count)
    }

    private mutating func compile(_ allows: [AllowSyntax], _ pattern: MatchPattern, _ scope: Scope) -> Range<Int32> {
        let first = Int32(truncatingIfNeeded: rules.count)
        for allow in allows {
            owner = Owner(rule: rules.count)
            let condition = allow.condition.map { self.condition($0, scope) }
            rules.append(Program.Rule(operations: allow.operations, condition: condition ?? -1))
            let location = source.location(allow.range.start)
            statements.append(
                RuleStatement(
                    location: location, label: "\(source.name):\(location.line)", text: source.text(allow.range),
                    methods: allow.operations.text, pattern: pattern.text, condition: condition.map { Int($0) }))
        }
        return first..<Int32(truncatingIfNeeded: rules.count)
    }
}
