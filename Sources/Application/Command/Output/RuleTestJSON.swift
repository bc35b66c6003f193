import Diagnostics
import Foundation
import GatewayCore
import SecurityRules

/// A run of rules tests as one JSON document.
enum RuleTestJSON {
    private struct Document: Encodable {
        let tests: Int
        let failed: Int
        let results: [Result]
        let coverage: Coverage
    }

    private struct Result: Encodable {
        let file: String
        let line: Int
        let name: String
        let passed: Bool
        let expected: String
        let came: String
        let rule: String?
        let trace: [Step]
    }

    private struct Step: Encodable {
        let rule: String
        let assumption: String?
        let depth: Int
        let text: String
        let outcome: String
        let failed: Bool
    }

    private struct Coverage: Encodable {
        let outcomes: Int
        let seen: Int
        let points: [Point]
    }

    private struct Point: Encodable {
        let file: String
        let line: Int
        let column: Int
        let text: String
        let kind: String
        let wasTrue: Int
        let wasFalse: Int
        let error: Int

        enum CodingKeys: String, CodingKey {
            case file, line, column, text, kind, error
            case wasTrue = "true"
            case wasFalse = "false"
        }
    }

    static func text(of run: RuleTestRun) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            tests: run.count, failed: run.failures, results: run.files.flatMap(\.results).map(result),
            coverage: Coverage(
                outcomes: run.coverage.outcomes, seen: run.coverage.seen,
                points: run.coverage.sources.flatMap(\.points).map(point)))
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    private static func result(_ result: RuleTestResult) -> Result {
        Result(
            file: result.test.location.file, line: result.test.location.line, name: result.test.name,
            passed: result.isPassed, expected: "\(result.test.expectation)", came: "\(result.outcome)",
            rule: result.outcome.rule?.label,
            trace: result.trace.sections.flatMap { section in
                section.lines.map { line in
                    Step(
                        rule: section.rule.label, assumption: section.assumption, depth: line.depth, text: line.text,
                        outcome: line.outcome, failed: line.isFailure)
                }
            })
    }

    private static func point(_ point: RuleCoverage.Point) -> Point {
        let kind =
            switch point.kind {
            case .condition: "condition"
            case .constant: "constant"
            case .part: "part"
            }
        return Point(
            file: point.location.source, line: point.location.line, column: point.location.column, text: point.text,
            kind: kind, wasTrue: point.wasTrue, wasFalse: point.wasFalse, error: point.failed)
    }
}
