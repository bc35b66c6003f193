import Diagnostics
import SecurityRules

/// The coverage of rules as text: one line per `allow`, and the outcomes that are not covered.
enum RuleCoverageText {
    static func lines(of coverage: RuleCoverage) -> [String] {
        var table = TextTable(header: ["ALLOW", "METHODS", "PATH", "TRUE", "FALSE", "ERROR"])
        for source in coverage.sources {
            for rule in source.rules { table.add(row(of: rule)) }
        }
        return table.lines + missing(coverage)
    }

    private static func row(of rule: RuleCoverage.Rule) -> [String] {
        let (statement, point) = (rule.statement, rule.condition)
        let counts =
            point.kind == .constant
            ? ["\(point.wasTrue)", "-", "-"] : ["\(point.wasTrue)", "\(point.wasFalse)", "\(point.failed)"]
        return [
            statement.label, statement.methods.isEmpty ? "any" : statement.methods,
            statement.pattern.isEmpty ? "the route's" : ShownLine.text(statement.pattern),
        ] + counts
    }

    private static func missing(_ coverage: RuleCoverage) -> [String] {
        let lines = coverage.sources.flatMap(\.points).compactMap { point in
            point.missing.map { "\(point.location): \($0): \(ShownLine.text(point.text))" }
        }
        return lines.isEmpty ? [] : ["", "Not covered:"] + lines
    }
}
