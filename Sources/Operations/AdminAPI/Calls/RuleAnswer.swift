package import SecurityRules

/// The evaluation of rules for a request that an operator stated.
package struct RuleAnswer: Sendable {
    /// The result of one ruleset.
    package struct Result: Sendable {
        /// The file of the rules, or `FILE:LINE` of a condition.
        package var file: String
        package var verdict: RuleVerdict
        /// The `allow` that decided, as `FILE:LINE`. `nil` if none matches the path and the method.
        package var rule: String?
        /// The reason of a denial. `nil` if the request passes.
        package var reason: String?
        package var trace: RuleTrace

        /// Creates a result.
        package init(file: String, verdict: RuleVerdict, rule: String?, reason: String?, trace: RuleTrace) {
            self.file = file
            self.verdict = verdict
            self.rule = rule
            self.reason = reason
            self.trace = trace
        }
    }

    /// The canonical path, which rules match.
    package var path: String
    /// The pattern of the request's route. `nil` if there is none for the host, the path and the method.
    package var route: String?
    /// Whether the gateway evaluates rules for such a request: it has a route with authentication.
    package var applies: Bool
    /// The results of the rules file, and of the condition of the route. All of them must allow a request.
    package var results: [Result]
    /// The warnings about edited rules.
    package var warnings: [String]

    /// Creates an evaluation.
    package init(path: String, route: String?, applies: Bool, results: [Result], warnings: [String]) {
        self.path = path
        self.route = route
        self.applies = applies
        self.results = results
        self.warnings = warnings
    }
}
