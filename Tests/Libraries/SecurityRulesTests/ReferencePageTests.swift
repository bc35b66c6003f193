import Foundation
import Testing

@testable import SecurityRules
@testable import SystemFixtures

/// docs/rules-reference.md: each example comes to what stands beside it, and nothing is left out.
@Suite struct ReferencePageTests {
    @Test(arguments: ReferencePage.examples)
    func anExampleComesToWhatThePageSays(example: ReferencePage.Example) {
        #expect(example.outcome() == example.result)
    }

    @Test func thePageHasItsExamples() {
        #expect(ReferencePage.examples.count > 200)
    }

    @Test(arguments: Builtin.allCases)
    func everyMethodAndFunctionIsOnThePage(builtin: Builtin) {
        let isMethod = builtin.overloads.contains { $0.receiver != nil }
        let call = (isMethod ? "." : "") + builtin.name + "("
        #expect(ReferencePage.rows.contains { $0[0].contains(call) }, "\(call)")
    }

    @Test(arguments: BinaryOperator.allCases.map(\.rawValue) + ["&&", "||", " ? ", "!", " is "])
    func everyOperatorHasAnExampleWithAValueAndOneThatFails(name: String) {
        let examples = ReferencePage.examples.filter { $0.expression.contains(name) }
        #expect(examples.contains { $0.result != "fails" && $0.result != "refused" }, "\(name)")
        #expect(ReferencePage.rows.contains { $0[0].contains(name.trimmingCharacters(in: .whitespaces)) }, "\(name)")
    }

    @Test func everyLimitIsTheOneOfTheLanguage() {
        let values = [
            RuleSource.maximumSize, RuleLimits.matchDepth, RuleLimits.pathSegments, RuleLimits.captures,
            RuleLimits.parameters, RuleLimits.lets, RuleLimits.expressions, RuleLimits.callDepth,
            RuleLimits.expressionDepth, RuleLimits.sourceExpressions, RuleLimits.declarations,
            RegexLimits.patternBytes, RuleLimits.work, RuleLimits.signInAges, RuleLimits.textLength,
        ]
        let told = ReferencePage.rows(under: "Limit").map { $0[1].replacingOccurrences(of: ",", with: "") }
        #expect(told == values.map(String.init))
    }
}

/// The tables of the page.
enum ReferencePage {
    struct Example: Sendable, CustomStringConvertible {
        let expression: String
        /// The value's text, `fails` or `refused`.
        let result: String

        var description: String { expression }

        /// What the page should say.
        func outcome() -> String {
            // In a list, as a field's value may not be of every kind.
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

    /// The one that the page begins with.
    static let auth: RuleValue = [
        "uid": "ada", "provider": "google",
        "token": ["groups": ["staff", "eu"], "level": 3, "quota": ["reads": 10], "role": "editor"],
    ]

    /// The cells of all rows of all tables.
    static let rows = tables.flatMap(\.rows)

    /// Those of the tables whose first column has that name.
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

    /// `\|` is a `|` that separates nothing.
    private static func cells(_ line: String) -> [String] {
        line.replacingOccurrences(of: "\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast().map {
                $0.replacingOccurrences(of: "\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
            }
    }

    private static func code(_ cell: String) -> String { cell.trimmingCharacters(in: CharacterSet(charactersIn: "`")) }

    private static let text: String = {
        return (try? String(contentsOf: Repository.root.appending(path: "docs/rules-reference.md"), encoding: .utf8))
            ?? ""
    }()
}
