extension RulesChecker {
    /// Checks all functions, callees first.
    mutating func checkCalls() {
        calls = expressions.names.functions.map { function in
            var seen: Set<Int> = []
            var callees: [Int] = []
            for expression in function.syntax.lets.map(\.value) + [function.syntax.result] {
                expression.forEachCall { name in
                    let callee = expressions.names.function(named: name.text, from: function.block)
                    guard let callee else { return }
                    if seen.insert(callee).inserted { callees.append(callee) }
                }
            }
            return callees
        }
        let graph = CallGraph(calls)
        for cycle in graph.cycles { fail(cycle) }
        for (function, depth) in graph.depths.enumerated() where depth == RuleLimits.callDepth + 1 {
            let name = expressions.names.functions[function].syntax.name
            expressions.findings.fail(
                name.range, "calls from \(name.shown) nest deeper than \(RuleLimits.callDepth)",
                "shorten the chain of calls")
        }
        for function in graph.order { check(function) }
        expressions.names.function = nil
        expressions.names.locals = []
    }

    private mutating func fail(_ cycle: CallGraph.Cycle) {
        let names = cycle.functions.map { expressions.names.functions[$0].syntax.name }
        guard let first = names.first else { return }
        let what =
            names.count == 1
            ? "\(first.shown) calls itself"
            : "\(first.shown) calls itself indirectly: "
                + names.map(\.shown).joined(separator: " -> ") + (cycle.isShortened ? " -> ..." : "")
                + " -> \(first.shown)"
        expressions.findings.fail(
            first.range, what,
            "rules have no recursion and no loops: write the steps individually, or use in, hasAny, hasAll")
    }

    private mutating func check(_ index: Int) {
        let syntax = expressions.names.functions[index].syntax
        expressions.names.function = index
        expressions.names.block = expressions.names.functions[index].block
        expressions.names.locals = []
        for parameter in syntax.parameters {
            expressions.names.declare(
                local: parameter, "a parameter", Inferred(kinds: .any), &expressions.findings)
        }
        for binding in syntax.lets {
            var value = expressions.infer(binding.value)
            // A literal is checked at its definition, not at each use of its name.
            value.constant = nil
            expressions.names.declare(local: binding.name, "a let", value, &expressions.findings)
        }
        expressions.names.functions[index].result = expressions.infer(syntax.result).kinds
        warnOfUnusedLocals(in: syntax.name.shown)
    }

    private mutating func warnOfUnusedLocals(in function: String) {
        for local in expressions.names.locals where !local.isUsed {
            guard let range = local.range else { continue }
            expressions.findings.warn(
                range, "\(local.name.shown) is never used in \(function)", "remove it, or use it")
        }
    }

    /// Warns about functions that no condition calls, directly or indirectly.
    mutating func warnOfUnusedFunctions() {
        let used = CallGraph.reachable(from: expressions.calledByConditions, calls)
        for (index, function) in expressions.names.functions.enumerated() where !used.contains(index) {
            let name = function.syntax.name
            expressions.findings.warn(name.range, "no condition calls \(name.shown)", "remove it, or call it")
        }
    }
}
