import Foundation
import GatewayCore
import Testing

@testable import SystemFixtures

/// The alerts of `deploy/prometheus`: their rules, their unit tests, and the pages of the manual about them.
@Suite struct AlertRulesTests {
    private let file: RulesFile

    init() throws {
        file = try RulesFile()
    }

    @Test(.enabled(if: Promtool.isInstalled, Comment(rawValue: Promtool.absence)))
    func `promtool accepts the rules`() throws {
        let output = try Promtool.run("check", "rules", "--lint-fatal", RulesFile.path)
        #expect(output.contains("SUCCESS: \(file.rules.count) rules found") && !output.contains("FAILED"), "\(output)")
    }

    @Test(.enabled(if: Promtool.isInstalled, Comment(rawValue: Promtool.absence)))
    func `the unit tests of the alerts pass`() throws {
        let output = try Promtool.run("test", "rules", RulesFile.tests)
        #expect(output.contains("SUCCESS") && !output.contains("FAILED"), "\(output)")
    }

    @Test func `each alert has a unit test in which it fires, and one in which it does not`() throws {
        let text = try String(contentsOfFile: RulesFile.tests, encoding: .utf8)
        let cases = text.matches(of: #/alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:( \[\])?\n/#)
        #expect(file.alertNames.count > 35)
        for name in file.alertNames {
            let own = cases.filter { $0.1 == name }
            #expect(own.contains { $0.2 == nil }, "no test in which \(name) fires")
            #expect(own.contains { $0.2 != nil }, "no test in which \(name) does not fire")
        }
        #expect(Set(cases.map { String($0.1) }).isSubset(of: file.alertNames))
    }

    @Test func `the unit tests evaluate the groups in the order of the file`() throws {
        let text = try String(contentsOfFile: RulesFile.tests, encoding: .utf8)
        let order = text.firstMatch(of: #/group_eval_order:\n((?:  - .+\n)+)/#)?.1 ?? ""
        #expect(order.split(separator: "\n").map { $0.dropFirst(4) } == file.groups.map { $0[...] })
    }

    @Test func `each alert has a severity, a text, and an entry in the manual`() throws {
        let sections = try MarkdownPage("docs/troubleshooting.md").sections
        for alert in file.alerts {
            #expect(alert.text.contains(#/labels: \{ severity: (critical|warning) \}/#), "\(alert.name)")
            #expect(alert.annotation("summary")?.isEmpty == false, "\(alert.name)")
            #expect(alert.annotation("description")?.isEmpty == false, "\(alert.name)")
            let place = try #require(alert.annotation("runbook_url"), "\(alert.name)")
            let entry = sections.first { "docs/troubleshooting.md#\(Self.anchor(of: $0.title))" == place }
            #expect(entry?.text.contains("- **Alert:** `\(alert.name)`") == true, "\(alert.name): \(place)")
        }
    }

    /// The anchor of a heading, as on GitHub.
    private static func anchor(of title: String) -> String {
        title.lowercased().replacing(" ", with: "-").replacing(#/[^a-z0-9_-]/#, with: "")
    }

    @Test func `the manual lists the alerts in the order of the file, with their severities`() throws {
        let link = #/\[`(Gatehouse\w+)`\]\(\.\./(troubleshooting\.md#.+)\)/#
        let rows = try MarkdownPage("docs/guides/monitoring.md").rows.compactMap { row in
            row[0].wholeMatch(of: link).map { (name: String($0.1), entry: "docs/\($0.2)", severities: row[1]) }
        }
        #expect(rows.map(\.name) == file.alertNames)
        for row in rows {
            let rules = file.alerts.filter { $0.name == row.name }
            let severities = rules.compactMap { $0.text.firstMatch(of: #/severity: (\w+)/#).map { String($0.1) } }
            #expect(row.severities == severities.joined(separator: ", "), "\(row.name)")
            #expect(rules.allSatisfy { $0.annotation("runbook_url") == row.entry }, "\(row.name)")
        }
    }

    @Test func `troubleshooting has one entry for each alert, in the order of the file`() throws {
        let sections = try MarkdownPage("docs/troubleshooting.md").sections
        let entries = sections.drop { $0.title != "Alerts" }.dropFirst()
        let names = entries.map { $0.text.firstMatch(of: #/- \*\*Alert:\*\* `(\w+)`/#).map { String($0.1) } ?? "" }
        #expect(names == file.alertNames)
        for (name, entry) in zip(names, entries) {
            for part in ["**Sign:** ", "**Clients receive:** ", "ix:** "] {
                #expect(entry.text.contains(part), "\(entry.title) lacks '\(part)'")
            }
            let sign = entry.text.firstMatch(of: #/- \*\*Sign:\*\* [^\n]*(\n  [^\n]*)*/#)?.output.0 ?? ""
            let expressions = file.alerts.filter { $0.name == name }.map(\.expression).joined()
            // Histograms are named without the suffix of a series.
            let metrics = Set(
                expressions.matches(of: #/((?:gatehouse|process)_[a-z_]+?)(?:_bucket|_count|_sum)?\b/#).map {
                    String($0.1)
                })
            let isNamed = metrics.isEmpty || metrics.contains { sign.contains("`\($0)") }
            #expect(isNamed, "the sign of '\(entry.title)' has no metric of \(name)")
        }
    }

    @Test func `the rules use metrics and labels that exist`() throws {
        let page = try MetricsPage()
        #expect(page.labels.count > 80 && page.histograms.count == 5)
        for rule in file.rules {
            #expect(!rule.expression.isEmpty, "\(rule.name)")
            let flaws = page.flaws(of: rule.expression, records: file.records)
            #expect(flaws.isEmpty, "\(rule.name): \(flaws)")
        }
    }

    @Test func `the rules use codes that exist`() throws {
        let codes = DecisionCode.allCases.map(\.wire.description)
        for rule in file.rules {
            for match in rule.expression.matches(of: #/code(=~|!=|=)"([^"]+)"/#) {
                // The alternatives of a pattern, unless they are in parentheses.
                let parts = match.2.contains("(") ? [match.2] : match.2.split(separator: "|")
                for part in parts {
                    let pattern = try Regex(String(part))
                    let isKnown = codes.contains { match.1 == "=~" ? $0.wholeMatch(of: pattern) != nil : $0 == part }
                    #expect(isKnown, "\(rule.name): \(part)")
                }
            }
        }
    }

    @Test func `the templates of an alert use labels that its expression keeps`() throws {
        let page = try MetricsPage()
        for alert in file.alerts {
            let series = alert.expression.matches(of: #/(?:gatehouse|process)_[a-z0-9_]+/#).map { String($0.output) }
            let own = series.reduce(into: Set<String>()) { $0.formUnion(page.labels(ofSeries: $1) ?? []) }
            let recorded = file.records.filter { alert.expression.contains($0.key) }.flatMap(\.value)
            let kept = alert.labels.isEmpty ? own.union(recorded).union(["job", "instance"]) : alert.labels
            for match in alert.text.matches(of: #/\$labels\.(\w+)/#) {
                #expect(kept.contains(String(match.1)), "\(alert.name) has no label \(match.1)")
            }
        }
    }

    @Test func `an expression with an unknown metric or label is found`() throws {
        let page = try MetricsPage()
        let records: [String: Set<String>] = ["gatehouse:errors:rate5m": ["job", "class"]]
        for valid in [
            #"sum by (job, code) (rate(gatehouse_requests_total{route="/a/**",code!="ok"}[5m])) > 1"#,
            "histogram_quantile(0.9, sum by (le, route) (rate(gatehouse_request_duration_seconds_bucket[5m])))",
            #"sum by (class) (gatehouse:errors:rate5m{class="routes"})"#, #"up{job="gatehouse"} == 0"#,
        ] {
            #expect(page.flaws(of: valid, records: records).isEmpty, "\(valid)")
        }
        for invalid in [
            "gatehouse_request_total", "gatehouse_ready_total", "gatehouse_request_duration_seconds",
            #"gatehouse_ready{route="/"}"#, "sum by (upstream) (gatehouse_ready)", "gatehouse:errors:rate1h",
            "sum by (le) (gatehouse_request_duration_seconds_count)",
        ] {
            #expect(!page.flaws(of: invalid, records: records).isEmpty, "\(invalid)")
        }
    }
}
