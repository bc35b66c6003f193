import SecurityRules

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
        for warning in warnings { context.warn(location, shown(warning), warning.remedy) }
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
