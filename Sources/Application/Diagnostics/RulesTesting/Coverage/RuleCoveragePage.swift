import PrintableText
import SecurityRules
import TextCoding

/// The coverage of rules as one HTML page without scripts and external resources. All text is escaped.
package struct RuleCoveragePage {
    private let run: RuleTestRun
    private var coverage: RuleCoverage { run.coverage }

    /// Creates the page of a run.
    package init(_ run: RuleTestRun) {
        self.run = run
    }

    /// The complete page.
    package var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Coverage of security rules</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        <main>
        <h1>Coverage of security rules</h1>
        \(summary)
        \(failures)
        \(overview)
        \(coverage.sources.enumerated().map { source($1, number: $0) }.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private var summary: String {
        let tests = run.failures == 0 ? "all passed" : "\(run.failures) failed"
        return """
            <p class="summary"><strong>\(RuleCoverage.percent(coverage.seen, of: coverage.outcomes)) %</strong> \
            \(coverage.seen) of \(coverage.outcomes) outcomes seen, by \(run.count) tests: \
            <span class="\(run.failures == 0 ? "good" : "bad")">\(tests)</span></p>
            <p class="key"><span class="full">seen true and false</span> <span class="part">seen one way</span> \
            <span class="none">not seen</span> Point at an expression for its counts.</p>
            """
    }

    private var failures: String {
        let failed = run.files.flatMap(\.results).filter { !$0.isPassed }
        if failed.isEmpty { return "" }
        let rows = failed.map { result in
            """
            <li><code>\(RuleCoveragePage.escaped("\(result.test.location)"))</code> \(RuleCoveragePage.escaped(result.test.name)): \
            expected \(RuleCoveragePage.escaped("\(result.test.expectation)")), came \(RuleCoveragePage.escaped("\(result.outcome)"))</li>
            """
        }
        return "<h2>Failed</h2>\n<ul class=\"failures\">\n\(rows.joined(separator: "\n"))\n</ul>"
    }

    private var overview: String {
        let rows = coverage.sources.enumerated().map { number, source in
            """
            <tr><td><a href="#s\(number)">\(RuleCoveragePage.escaped(source.file))</a></td>\
            <td><meter min="0" max="\(max(source.outcomes, 1))" value="\(source.seen)"></meter></td>\
            <td>\(RuleCoverage.percent(source.seen, of: source.outcomes)) %</td>\
            <td>\(source.seen)/\(source.outcomes)</td></tr>
            """
        }
        return "<table class=\"overview\">\n\(rows.joined(separator: "\n"))\n</table>"
    }

    private func source(_ source: RuleCoverage.Source, number: Int) -> String {
        let lines = RuleCoverageLines(source)
        let rows = source.lines.indices.map { index in
            let line = source.firstLine + index
            return """
                <tr class="\(lines.grade(ofLine: line)?.rawValue ?? "")"><td>\(line)</td>\
                <td><code>\(lines.html(ofLine: line))</code></td></tr>
                """
        }
        return """
            <section id="s\(number)">
            <h2>\(RuleCoveragePage.escaped(source.file)) <small>\(RuleCoverage.percent(source.seen, of: source.outcomes)) %</small></h2>
            <div class="source"><table>
            \(rows.joined(separator: "\n"))
            </table></div>
            \(missing(source))
            </section>
            """
    }

    private func missing(_ source: RuleCoverage.Source) -> String {
        let rows = source.points.compactMap { point in
            point.missing.map { missing in
                """
                <li><code>\(point.location.line):\(point.location.column)</code> \(missing): \
                <code>\(RuleCoveragePage.escaped(point.text))</code> <small>(\(point.counts))</small></li>
                """
            }
        }
        return rows.isEmpty ? "" : "<ul class=\"missing\">\n\(rows.joined(separator: "\n"))\n</ul>"
    }
}

extension RuleCoveragePage {
    /// Returns text of a file for a page. Other characters than printable ones, tabs and line feeds are replaced.
    static func escaped(_ text: some StringProtocol) -> String {
        let shown = text.unicodeScalars.map { scalar in
            scalar == "\t" || scalar == "\n" || PrintableText.isPrintable(scalar) ? scalar : "\u{FFFD}"
        }
        return HTMLText.escaped(shown)
    }
}
