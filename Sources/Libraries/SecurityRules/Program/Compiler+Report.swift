extension Compiler {
    /// Returns the properties of all expressions.
    func expressions() -> [RuleExpression] {
        let predicates = predicates()
        return places.indices.map { index in
            let place = places[index]
            let isConstant = nodes[index].operation == .constant
            return RuleExpression(
                rule: place.owner.rule, function: place.owner.function,
                parent: place.parent < 0 ? nil : Int(place.parent),
                isBoolean: !isConstant && (place.isCondition || predicates[index]), source: source, range: place.range)
        }
    }

    /// Whether the rules can require the record of the last sign-in.
    var needsSignInRecord: Bool { nodes.contains { $0.operation == .recentSignIn } }

    /// Returns for each node whether its value is always a boolean.
    private func predicates() -> [Bool] {
        var known = nodes.map(isPredicate)
        // The kind of a call is that of the function's result, and the depth of calls is bounded.
        for _ in 0...RuleLimits.callDepth {
            var isComplete = true
            for index in nodes.indices.reversed() where !known[index] && depends(nodes[index], known) {
                known[index] = true
                isComplete = false
            }
            if isComplete { break }
        }
        return known
    }

    private func isPredicate(_ node: ProgramNode) -> Bool {
        switch node.operation {
        case .constant:
            if case .bool = constants[Int(node.first)] { return true }
            return false
        case .function, .method:
            return Builtin(rawValue: node.detail)?.overloads.allSatisfy { $0.result == .bool } ?? false
        default: return node.isPredicate
        }
    }

    private func depends(_ node: ProgramNode, _ known: [Bool]) -> Bool {
        switch node.operation {
        case .call:
            let result = functions[Int(node.second)].result
            return result >= 0 && known[Int(result)]
        case .conditional: return known[Int(node.second)] && known[Int(node.third)]
        case .debug: return known[Int(node.first)]
        default: return false
        }
    }
}
