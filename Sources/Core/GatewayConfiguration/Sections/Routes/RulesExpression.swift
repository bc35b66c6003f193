package import GatewayCore
package import Routing
package import SecurityRules

extension Configuration {
    /// An expression in the security rules language, as written in the configuration.
    package struct RulesExpression: Sendable, Hashable {
        /// The maximum size of an expression: 8 KiB.
        package static let maximumSize = 8_192

        /// The text as written.
        package var text: String
        /// The location in the file.
        package var location: SourceLocation

        /// Creates an expression.
        package init(_ text: String, location: SourceLocation) {
            self.text = text
            self.location = location
        }

        /// The name in logs: `FILE:LINE`.
        package var label: String { location.line == 0 ? location.file : "\(location.file):\(location.line)" }
    }

    /// The file of rules for all routes with authentication (`rules`). The code that evaluates the rules checks its
    /// content.
    package struct RulesFile: Sendable, Hashable {
        /// The file's path.
        package var path: String
        /// The location of the setting.
        package var location: SourceLocation

        /// Creates a reference to a file.
        package init(path: String, location: SourceLocation) {
            self.path = path
            self.location = location
        }
    }
}

extension Configuration.RulesFile {
    static func read(_ value: ConfigurationValue) -> Self? {
        let remedy = "write the rules to a file, and its path here, as in rules: api.rules"
        guard case .scalar(let scalar) = value.content else {
            if case .failed = value.content { return nil }
            return value.fail("rules is not the path of a file", remedy)
        }
        let text = scalar.text
        guard !text.dropLast().contains("\n"), !["rules_version", "service "].contains(where: text.hasPrefix) else {
            return value.fail("rules contains the rules themselves, not the path of their file", remedy)
        }
        return value.path().map { Self(path: $0, location: value.location) }
    }
}

extension ConfigurationValue {
    /// Returns an expression in the security rules language, not yet parsed: any text, including `true` and `7`.
    ///
    /// Substitution is not permitted, so that the text in the file is the text that is evaluated, logged and explained.
    package func rulesExpression() -> Configuration.RulesExpression? {
        guard let scalar = scalar("an expression") else { return nil }
        guard !scalar.isSubstituted else {
            return fail("\(name) is an expression that contains ${...}", "write the value, or use a claim")
        }
        guard scalar.text.utf8.count <= Configuration.RulesExpression.maximumSize else {
            return fail(
                "\(name) is longer than \(Configuration.RulesExpression.maximumSize) bytes",
                "shorten it, or move it to a rules file (rules)")
        }
        return Configuration.RulesExpression(scalar.text, location: location)
    }

    /// Reports the errors of the expression in this value.
    func report(_ problems: RuleProblems) {
        for problem in problems.problems { context.fail(location, shown(problem), problem.remedy) }
    }

    /// Reports the warnings about the expression in this value.
    func warn(_ warnings: [RuleProblem]) {
        for warning in warnings { warn(shown(warning), warning.remedy) }
    }

    /// Returns the problem with its position in the text, since YAML does not provide that position in the file.
    private func shown(_ problem: RuleProblem) -> String {
        var place = "character \(problem.location.column)"
        if case .scalar(let scalar) = content, scalar.text.dropLast().contains("\n") {
            place = "line \(problem.location.line), \(place)"
        }
        return "\(name) at \(place): \(problem.what)"
    }
}

extension Ruleset {
    /// Compiles the condition of a route.
    ///
    /// - Parameter captures: The captures of the route's pattern.
    package init(_ condition: Configuration.RulesExpression, captures: [RuleCapture]) throws(RuleProblems) {
        try self.init(
            condition: RuleSource(condition.text, name: condition.label), captures: captures, label: condition.label)
    }
}

extension RuleValueExpression {
    /// Compiles the expression of a further header field.
    package init(_ expression: Configuration.RulesExpression) throws(RuleProblems) {
        try self.init(RuleSource(expression.text, name: expression.label))
    }
}

extension RoutePattern {
    /// The captures that a condition can use.
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
