import Authorization
import GatewayConfiguration
import GatewayCore
import NIOCore
import RequestPipeline
import SecurityRules

/// The counting of the results of a configuration's rules, for the operators' console.
struct RuleCounting: Sendable {
    /// The number of event loops.
    private let lanes: Int
    /// The current time in seconds since 1970.
    private let now: Int64
    /// The counters of the previous configuration. Rules with the same text continue them.
    private let earlier: [RuleSource: RuleCounters]

    /// Creates the counting of a configuration. `nil` if it has no console.
    ///
    /// - Parameter previous: The snapshot that is replaced. `nil` for the first one.
    init?(_ configuration: Configuration, at now: Int64, after previous: Snapshot? = nil) {
        guard configuration.admin.console else { return nil }
        lanes = configuration.workerCount
        self.now = now
        earlier = (previous?.rulesets ?? []).reduce(into: [:]) { $0[$1.source] = $1.counters }
    }

    func counted(_ rules: Ruleset) -> Ruleset {
        rules.counting(lanes: lanes, since: now, continuing: earlier[rules.source])
    }
}

extension Configuration {
    /// The number of event loops that serve requests.
    var workerCount: Int { workers ?? System.coreCount }
}

extension Snapshot {
    /// The rules file, then the conditions of routes in their order.
    var rulesets: [Ruleset] {
        [rules].compactMap(\.self) + pipeline.plans.compactMap(condition)
    }

    /// Returns the condition of a route, which follows the rules file. `nil` without one.
    func condition(of plan: RoutePlan) -> Ruleset? {
        plan.policy.rules?.rulesets.dropFirst(rules == nil ? 0 : 1).first
    }
}
