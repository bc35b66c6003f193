extension Checker {
    /// Looks at the functions, each after those that it calls.
    mutating func checkCalls() {
        calls = functions.map { function in
            var seen: Set<Int> = []
            var callees: [Int] = []
            let expressions = function.syntax.lets.map(\.value) + [function.syntax.result]
            for expression in expressions {
                expression.forEachCall { name in
                    guard let callee = self.function(named: name.text, from: function.block) else { return }
                    if seen.insert(callee).inserted { callees.append(callee) }
                }
            }
            return callees
        }
        let graph = CallGraph(calls)
        for cycle in graph.cycles { tell(cycle) }
        for (function, depth) in graph.depths.enumerated() where depth == RuleLimits.callDepth + 1 {
            let name = functions[function].syntax.name
            findings.fail(
                name.range, "calls nest more than \(RuleLimits.callDepth) deep from \(name.shown)",
                "have functions call fewer others in a row")
        }
        for function in graph.order { check(function) }
        function = nil
        locals = []
    }

    private mutating func tell(_ cycle: CallGraph.Cycle) {
        let names = cycle.functions.map { functions[$0].syntax.name }
        guard let first = names.first else { return }
        let what =
            names.count == 1
            ? "\(first.shown) calls itself"
            : "\(first.shown) ends up calling itself: "
                + names.map(\.shown).joined(separator: " -> ") + (cycle.isShortened ? " -> ..." : "")
                + " -> \(first.shown)"
        findings.fail(
            first.range, what, "rules have no recursion and no loops: write the steps out, or use in, hasAny, hasAll")
    }

    private mutating func check(_ index: Int) {
        let syntax = functions[index].syntax
        function = index
        block = functions[index].block
        locals = []
        for parameter in syntax.parameters {
            declareLocal(parameter, "a parameter", Inferred(kinds: .any))
        }
        for binding in syntax.lets {
            var value = infer(binding.value)
            // A literal is judged where it stands, not where its name is used.
            value.constant = nil
            declareLocal(binding.name, "a let", value)
        }
        functions[index].result = infer(syntax.result).kinds
        warnOfUnusedLocals(in: syntax.name.shown)
    }

    private mutating func declareLocal(_ name: Name, _ role: String, _ value: Inferred) {
        let isFree = isFree(name.text, at: name.range)
        // What is made of a name that stands for two things is not judged.
        let value = isFree ? value : .failed
        locals.append(
            CheckedVariable(name: name.text, role: role, range: name.range, value: value, isUsed: !isFree))
    }

    private mutating func warnOfUnusedLocals(in function: String) {
        for local in locals where !local.isUsed {
            guard let range = local.range else { continue }
            findings.warn(range, "\(Self.quote(local.name)) is never used in \(function)", "take it away, or use it")
        }
    }

    /// Tells the functions that no condition calls, directly or through others.
    mutating func warnOfUnusedFunctions() {
        let used = CallGraph.reachable(from: calledByConditions, calls)
        for (index, function) in functions.enumerated() where !used.contains(index) {
            let name = function.syntax.name
            findings.warn(name.range, "no condition calls \(name.shown)", "take it away, or call it")
        }
    }
}
