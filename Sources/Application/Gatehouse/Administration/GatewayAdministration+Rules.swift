import AdminAPI
import GatewayCore
import RequestPipeline
import SecurityRules

extension GatewayAdministration {
    func rules() -> AdministeredRules {
        let snapshot = generations.current.snapshot
        var sources = [snapshot.rules].compactMap(\.self).map { Self.source($0, of: nil) }
        var omitted = 0
        for plan in snapshot.pipeline.plans {
            guard let condition = snapshot.condition(of: plan) else { continue }
            guard sources.count < AdministeredRules.maximumSources else {
                omitted += 1
                continue
            }
            sources.append(Self.source(condition, of: plan))
        }
        return AdministeredRules(sources: sources, omitted: omitted)
    }

    func reloadDifferences() -> ReloadDifferences? { generations.differences }

    func evaluateRules(_ question: RuleQuestion) async throws(AdministrationError) -> RuleAnswer {
        try await playground.evaluate(question, with: generations.current.snapshot)
    }

    private static func source(_ ruleset: Ruleset, of plan: RoutePlan?) -> AdministeredRules.Source {
        let counters = ruleset.counters
        return AdministeredRules.Source(
            route: plan?.pattern, since: counters?.since,
            coverage: RuleCoverage.Source(
                file: ruleset.source.name, firstLine: 1, lines: RuleCoverage.Source.lines(of: ruleset.source.text),
                ruleset, counts: counters?.counts ?? [], permits: counters?.permits ?? []))
    }
}
