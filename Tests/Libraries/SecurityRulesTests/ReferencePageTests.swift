import Foundation
import Testing

@testable import SecurityRules
@testable import SystemFixtures

/// The examples in docs/reference/rules.md have the stated results, and the tables are complete.
@Suite struct ReferencePageTests {
    @Test(arguments: ReferencePage.examples)
    func `an example has the result on the page`(example: ReferencePage.Example) {
        #expect(example.outcome() == example.result)
    }

    @Test func `the page has its examples`() {
        #expect(ReferencePage.examples.count > 200)
    }

    @Test(arguments: Builtin.allCases)
    func `every method and function is on the page`(builtin: Builtin) {
        let isMethod = builtin.overloads.contains { $0.receiver != nil }
        let call = (isMethod ? "." : "") + builtin.name + "("
        #expect(ReferencePage.rows.contains { $0[0].contains(call) }, "\(call)")
    }

    @Test(arguments: BinaryOperator.allCases.map(\.rawValue) + ["&&", "||", " ? ", "!", " is "])
    func `every operator has an example with a value and one that fails`(name: String) {
        let examples = ReferencePage.examples.filter { $0.expression.contains(name) }
        #expect(examples.contains { $0.result != "fails" && $0.result != "refused" }, "\(name)")
        #expect(ReferencePage.rows.contains { $0[0].contains(name.trimmingCharacters(in: .whitespaces)) }, "\(name)")
    }

    @Test func `every limit on the page is the language's`() {
        let values = [
            RuleSource.maximumSize, RuleLimits.matchDepth, RuleLimits.pathSegments, RuleLimits.captures,
            RuleLimits.parameters, RuleLimits.lets, RuleLimits.expressions, RuleLimits.callDepth,
            RuleLimits.expressionDepth, RuleLimits.sourceExpressions, RuleLimits.declarations, RegexLimits.patternBytes,
            RuleLimits.patternInstructions, RuleLimits.work, RuleLimits.signInAges, RuleLimits.textLength,
        ]
        let stated = ReferencePage.rows(under: "Limit").map { $0[1].replacingOccurrences(of: ",", with: "") }
        #expect(stated == values.map(String.init))
    }
}

/// The tables of the page.
enum ReferencePage {
    struct Example: Sendable, CustomStringConvertible {
        let expression: String
        /// The value's text, `fails` or `refused`.
        let result: String

        var description: String { expression }

        /// The result that the page should have.
        func outcome() -> String {
            // The value is in a list, because a field accepts only some kinds of values.
            guard (try? RuleValueExpression(RuleSource("[\(expression)].size()", name: "page"))) != nil else {
                return "refused"
            }
            do {
                let expression = try RuleValueExpression(unchecked: RuleSource(expression, name: "page"))
                return try RuleEvaluator().evaluate(expression, auth: ReferencePage.auth).text
            } catch {
                return "fails"
            }
        }
    }

    static let examples = rows(under: "Expression").map { Example(expression: code($0[0]), result: code($0[1])) }

    /// The `auth` at the beginning of the page.
    static let auth: RuleValue = [
        "uid": "ada", "provider": "google",
        "token": ["groups": ["staff", "eu"], "level": 3, "quota": ["reads": 10], "role": "editor"],
    ]

    /// The cells of all rows of all tables.
    static let rows = tables.flatMap(\.rows)

    /// The rows of the tables whose first column has this name.
    static func rows(under heading: String) -> [[String]] {
        tables.filter { $0.heading == heading }.flatMap(\.rows)
    }

    private static let tables: [(heading: String, rows: [[String]])] = {
        var tables: [(heading: String, rows: [[String]])] = []
        var isInTable = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                isInTable = false
                continue
            }
            let cells = cells(String(line))
            if !isInTable {
                tables.append((cells[0], []))
            } else if !cells[0].hasPrefix("---") {
                tables[tables.count - 1].rows.append(cells)
            }
            isInTable = true
        }
        return tables
    }()

    /// `\|` is a `|` within a cell.
    private static func cells(_ line: String) -> [String] {
        line.replacingOccurrences(of: "\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast().map {
                $0.replacingOccurrences(of: "\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
            }
    }

    private static func code(_ cell: String) -> String { cell.trimmingCharacters(in: CharacterSet(charactersIn: "`")) }

    private static let text: String = {
        return (try? String(contentsOf: Repository.root.appending(path: "docs/reference/rules.md"), encoding: .utf8))
            ?? ""
    }()
}
