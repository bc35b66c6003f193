package import SecurityRules

/// The active rules in the admin API, with the results of their evaluations.
package struct AdministeredRules: Sendable {
    /// The maximum number of listed sources.
    package static let maximumSources = 200
    /// The maximum number of listed expressions of a source.
    static let maximumPoints = 2_000

    /// The rules file, or the condition of a route.
    package struct Source: Sendable {
        /// The pattern of the condition's route. `nil` for the rules file.
        package var route: String?
        /// When counting began, in seconds since 1970. `nil` if results are not counted.
        package var since: Int64?
        package var coverage: RuleCoverage.Source

        /// Creates a source.
        package init(route: String? = nil, since: Int64? = nil, coverage: RuleCoverage.Source) {
            self.route = route
            self.since = since
            self.coverage = coverage
        }
    }

    /// The rules file if there is one, then the conditions of routes in their order; at most `maximumSources`.
    package var sources: [Source]
    /// The number of conditions that are not listed.
    package var omitted: Int

    /// Creates the rules.
    package init(sources: [Source], omitted: Int = 0) {
        self.sources = sources
        self.omitted = omitted
    }
}
