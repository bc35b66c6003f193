package import Routing
package import SecurityRules

extension Ruleset {
    /// The condition of a route.
    ///
    /// - Parameter captures: those of the route's pattern.
    package init(_ condition: Configuration.RulesExpression, captures: [RuleCapture]) throws(RuleProblems) {
        try self.init(
            condition: RuleSource(condition.text, name: condition.label), captures: captures, label: condition.label)
    }
}

extension RuleValueExpression {
    /// The expression of a further header field.
    package init(_ expression: Configuration.RulesExpression) throws(RuleProblems) {
        try self.init(RuleSource(expression.text, name: expression.label))
    }
}

extension RoutePattern {
    /// What a condition may name of the path.
    package var ruleCaptures: [RuleCapture] {
        var captures: [RuleCapture] = []
        for (index, segment) in segments.enumerated() {
            guard case .capture(let name) = segment else { continue }
            captures.append(RuleCapture(name: name, segment: index, isRest: false))
        }
        if case .named(let name) = rest {
            captures.append(RuleCapture(name: name, segment: segments.count, isRest: true))
        }
        return captures
    }
}
