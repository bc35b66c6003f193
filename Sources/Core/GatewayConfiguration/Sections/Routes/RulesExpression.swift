package import GatewayCore
package import Routing
package import SecurityRules

extension Configuration {
    /// An expression in the language of security rules, as it stands in the configuration.
    package struct RulesExpression: Sendable, Hashable {
        /// The most bytes that it may have: 8 KiB.
        package static let maximumSize = 8_192

        /// As it is written.
        package var text: String
        /// Where it stands.
        package var location: SourceLocation

        /// An expression at a place.
        package init(_ text: String, location: SourceLocation) {
            self.text = text
            self.location = location
        }

        /// What logs call it: `FILE:LINE`.
        package var label: String { location.line == 0 ? location.file : "\(location.file):\(location.line)" }
    }

    /// The file of rules that apply to every route that authenticates (`rules`). What it holds is checked by who asks it.
    package struct RulesFile: Sendable, Hashable {
        /// The file's path; a relative one starts at the working directory.
        package var path: String
        /// Where it is named.
        package var location: SourceLocation

        /// A file that is named at a place.
        package init(path: String, location: SourceLocation) {
            self.path = path
            self.location = location
        }
    }
}

extension ConfigurationValue {
    /// An expression in the language of security rules, not yet read: any text, `true` and `7` too.
    ///
    /// Nothing is substituted in it: what stands in the file is what is asked, logged and explained.
    package func rulesExpression() -> Configuration.RulesExpression? {
        guard let scalar = scalar("an expression") else { return nil }
        guard !scalar.isSubstituted else {
            return fail("\(name) is an expression with ${...} in it", "write the value itself, or take it from a claim")
        }
        guard scalar.text.utf8.count <= Configuration.RulesExpression.maximumSize else {
            return fail(
                "\(name) is longer than \(Configuration.RulesExpression.maximumSize) bytes",
                "shorten it, or move it to a rules file (rules)")
        }
        return Configuration.RulesExpression(scalar.text, location: location)
    }

    /// Reports what is wrong with the expression that stands here.
    func report(_ problems: RuleProblems) {
        for problem in problems.problems { context.fail(location, shown(problem), problem.remedy) }
    }

    /// Reports what is worth knowing of it.
    func warn(_ warnings: [RuleProblem]) {
        for warning in warnings { warn(shown(warning), warning.remedy) }
    }

    /// With the place in the text, since YAML does not tell where that place is in the file.
    private func shown(_ problem: RuleProblem) -> String {
        var place = "character \(problem.location.column)"
        if case .scalar(let scalar) = content, scalar.text.dropLast().contains("\n") {
            place = "line \(problem.location.line), \(place)"
        }
        return "\(name) at \(place): \(problem.what)"
    }
}

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
