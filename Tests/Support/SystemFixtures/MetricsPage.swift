import Foundation

/// The metrics on `docs/reference/metrics.md`, which is their contract.
struct MetricsPage {
    /// The labels of each metric.
    private(set) var labels: [String: Set<String>] = [:]
    private(set) var histograms: Set<String> = []

    init() throws {
        for row in try MarkdownPage("docs/reference/metrics.md").rows where row.count == 3 {
            let names = row[0].matches(of: #/`(\w+)`/#).map { String($0.1) }
            // The values of a label follow a colon.
            let labels = row[1].prefix { $0 != ":" }.matches(of: #/`(\w+)`/#).map { String($0.1) }
            for name in names { self.labels[name] = Set(labels) }
            if row[2].hasPrefix("histogram") { histograms.formUnion(names) }
        }
    }

    /// Returns the labels of a series, such as `NAME_bucket`. `nil` if the page has no such metric.
    func labels(ofSeries name: String) -> Set<String>? {
        if let labels = labels[name], !histograms.contains(name) { return labels }
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
            let base = String(name.dropLast(suffix.count))
            guard histograms.contains(base), let labels = labels[base] else { continue }
            return suffix == "_bucket" ? labels.union(["le"]) : labels
        }
        return nil
    }

    /// Returns the flaws of an expression of PromQL: metrics that the page lacks, and labels that they do not have.
    ///
    /// - Parameter records: The labels of the results of recording rules.
    func flaws(of expression: String, records: [String: Set<String>]) -> [String] {
        var flaws: [String] = []
        /// Prometheus adds these to every series.
        var known: Set = ["job", "instance"]
        let series = #/\b((?:gatehouse|process)_[a-z0-9_]+|gatehouse(?::[a-z0-9_]+)+|up)\b(?:\{([^}]*)\})?/#
        for match in expression.matches(of: series) {
            let name = String(match.1)
            let labels = name == "up" ? [] : records[name] ?? self.labels(ofSeries: name)
            guard let labels else {
                flaws.append("no metric \(name)")
                continue
            }
            known.formUnion(labels)
            let matched = (match.2 ?? "").matches(of: #/(\w+)(?:=~|!~|!=|=)"/#).map { String($0.1) }
            for label in matched where !labels.union(["job", "instance"]).contains(label) {
                flaws.append("\(name) has no label \(label)")
            }
        }
        // The third and the fourth argument of `label_replace` are labels of the result and of its source.
        let replaced = expression.matches(of: #/"(\w+)", "[^"]*", "(\w+)", "[^"]*"/#)
        known.formUnion(replaced.map { String($0.1) })
        let grouped = expression.matches(of: #/\b(?:by|without|on|ignoring|group_left) ?\(([\w, ]*)\)/#)
        let used = grouped.flatMap { $0.1.split(separator: #/, */#) }.map(String.init) + replaced.map { String($0.2) }
        flaws += Set(used).subtracting(known).map { "no metric of the expression has the label \($0)" }
        return flaws
    }
}
