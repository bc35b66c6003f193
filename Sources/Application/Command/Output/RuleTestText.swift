import Diagnostics
import PrintableText
import SecurityRules

/// A run of rules tests as text: failures with reasons, coverage, and a summary.
struct RuleTestText {
    enum Detail {
        /// Failures and the summary.
        case little
        /// One line per file, and the coverage.
        case usual
        /// The evaluation of each test as well.
        case all
    }

    private let run: RuleTestRun
    private let detail: Detail

    init(_ run: RuleTestRun, detail: Detail) {
        self.run = run
        self.detail = detail
    }

    var text: String {
        var lines = run.files.flatMap(lines)
        if detail != .little { lines += [""] + RuleCoverageText.lines(of: run.coverage) + [""] }
        return (lines + [summary]).joined(separator: "\n")
    }

    private var summary: String {
        let covered = RuleCoverage.percent(run.coverage.seen, of: run.coverage.outcomes)
        let tests = "\(run.count) \(run.count == 1 ? "test" : "tests")"
        let result = run.failures == 0 ? "all passed" : "\(run.failures) FAILED"
        return "\(tests), \(result); coverage \(covered) % (\(run.coverage.seen) of \(run.coverage.outcomes) outcomes)"
    }

    private func lines(of file: RuleTestRun.File) -> [String] {
        let passed = file.results.count { $0.isPassed }
        let sum =
            "\(passed == file.results.count ? "ok  " : "FAIL")  \(PrintableText.escaped(file.file)): \(passed) of \(file.results.count) passed"
        let shown = file.results.filter { !$0.isPassed || detail == .all }
        if shown.isEmpty { return detail == .little ? [] : [sum] }
        return [sum] + shown.flatMap(lines) + [""]
    }

    private func lines(of result: RuleTestResult) -> [String] {
        let test = result.test
        let expected = "\(test.expectation)" + (test.line.map { " by line \($0)" } ?? "")
        return [
            "", "  \(result.isPassed ? "passed" : "FAILED")  \(ShownLine.text(test.name))",
            "          \(PrintableText.escaped("\(test.location)"))",
            "    request   \(ShownLine.text(test.request.text))",
            "    auth      \(test.user.map { ShownLine.text($0.name ?? $0.uid) } ?? "anonymous")",
            "    expected  \(expected)",
            "    came      \(result.outcome)",
        ] + lines(of: result.trace)
    }

    private func lines(of trace: RuleTrace) -> [String] {
        let sections = trace.sections.flatMap { section in
            let statement = section.rule
            let heading = "    \(statement.label)  \(ShownLine.text(statement.text))"
            return [heading + (section.assumption.map { "   (\($0))" } ?? "")] + lines(of: section)
        }
        return trace.omitted == 0 ? sections : sections + ["      (\(trace.omitted) more lines)"]
    }

    private func lines(of section: RuleTrace.Section) -> [String] {
        let texts = section.lines.map { String(repeating: "  ", count: $0.depth) + ShownLine.text($0.text) }
        let width = texts.map(\.count).max() ?? 0
        return zip(section.lines, texts).map { line, text in
            let outcome = line.isFailure ? "error: \(line.outcome)" : line.outcome
            return
                "      \(text)\(String(repeating: " ", count: width - text.count))  \(ShownLine.text(outcome, atMost: 100))"
        }
    }
}

/// The display of file content on a terminal.
enum ShownLine {
    /// Returns the text on one line, truncated.
    static func text(_ text: String, atMost longest: Int = 200) -> String {
        let words = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
        return PrintableText.short(words, limit: longest)
    }
}
