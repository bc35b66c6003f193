import Foundation

@testable import SystemFixtures

/// The rules of `deploy/prometheus/alerts.yaml`, whose syntax promtool checks.
struct RulesFile {
    struct Rule {
        /// The name of the alert, or of the recorded series.
        let name: String
        let isAlert: Bool
        let text: String

        /// The expression, without its comments.
        var expression: String {
            let block = text.firstMatch(of: #/\n        expr: \|\n((?:          .*\n)+)/#)?.1
            let line = text.firstMatch(of: #/\n        expr: ([^|\n].*)\n/#)?.1
            return String(block ?? line ?? "")
        }

        /// The labels of the outermost aggregation.
        var labels: Set<String> {
            let grouped = expression.firstMatch(of: #/\bby \(([\w, ]+)\)/#)?.1 ?? ""
            return Set(grouped.split(separator: ", ").map(String.init))
        }

        func annotation(_ name: String) -> String? {
            text.split(separator: "\n").first { $0.hasPrefix("          \(name): ") }
                .map { String($0.dropFirst("          \(name): ".count)) }
        }
    }

    static let path = Repository.root.appending(path: "deploy/prometheus/alerts.yaml").path
    static let tests = Repository.root.appending(path: "deploy/prometheus/alerts.test.yaml").path

    let groups: [String]
    let rules: [Rule]

    init() throws {
        let text = try String(contentsOfFile: Self.path, encoding: .utf8)
        groups = text.matches(of: #/(?m)^  - name: (.+)$/#).map { String($0.1) }
        let starts = text.matches(of: #/(?m)^      - (alert|record): (.+)$/#)
        let ends = starts.dropFirst().map(\.range.lowerBound) + [text.endIndex]
        rules = zip(starts, ends).map { start, end in
            Rule(
                name: String(start.2), isAlert: start.1 == "alert",
                text: String(text[start.range.lowerBound..<end]))
        }
    }

    var alerts: [Rule] { rules.filter(\.isAlert) }

    /// The names of the alerts in their order, without repetitions: an alert may have a rule for each severity.
    var alertNames: [String] {
        alerts.map(\.name).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The labels of each recorded series.
    var records: [String: Set<String>] {
        var records: [String: Set<String>] = [:]
        for rule in rules where !rule.isAlert {
            let source = rule.expression.firstMatch(of: #/gatehouse(?::[a-z0-9_]+)+/#).map { String($0.output) }
            records[rule.name] = rule.labels.isEmpty ? records[source ?? ""] ?? [] : rule.labels.subtracting(["le"])
        }
        return records
    }
}
