import Testing

@testable import SecurityRules

@Suite struct TextLimitTests {
    /// Expressions of a given number of levels.
    static let nestings: [@Sendable (Int) -> String] = [
        { String(repeating: "(", count: $0 - 1) + "a" + String(repeating: ")", count: $0 - 1) },
        { String(repeating: "[", count: $0 - 1) + "a" + String(repeating: "]", count: $0 - 1) },
        { String(repeating: "{'k':", count: $0 - 1) + "a" + String(repeating: "}", count: $0 - 1) },
        { String(repeating: "f(", count: $0 - 1) + "a" + String(repeating: ")", count: $0 - 1) },
        { String(repeating: "a.f(", count: $0 - 1) + "a" + String(repeating: ")", count: $0 - 1) },
        { String(repeating: "a[", count: $0 - 1) + "a" + String(repeating: "]", count: $0 - 1) },
        { String(repeating: "/a/$(", count: $0 - 1) + "a" + String(repeating: ")", count: $0 - 1) },
        { String(repeating: "!", count: $0 - 1) + "a" },
        { String(repeating: "-", count: $0 - 1) + "a" },
        { "a" + String(repeating: ".a", count: $0 - 1) },
        { "a" + String(repeating: "[0]", count: $0 - 1) },
        { "a" + String(repeating: ".f()", count: $0 - 1) },
        { "a" + String(repeating: " + a", count: $0 - 1) },
        { "a" + String(repeating: " is b", count: $0 - 1) },
        { String(repeating: "a ? b : ", count: $0 - 1) + "c" },
        { String(repeating: "a ? ", count: $0 - 1) + "b" + String(repeating: " : c", count: $0 - 1) },
        { String(repeating: "a || (", count: ($0 - 1) / 2) + "b && c" + String(repeating: ")", count: ($0 - 1) / 2) },
    ]

    @Test(arguments: nestings.indices) func `an expression nests to the limit and no deeper`(_ index: Int) {
        #expect(conditionErrors(Self.nestings[index](RuleLimits.expressionDepth)) == [])
        let errors = conditionErrors(Self.nestings[index](RuleLimits.expressionDepth + 2))
        #expect(errors.count == 1 && errors[0].contains("expressions nest at most 64 levels deep"))
    }

    @Test(arguments: ["&&", "||"]) func `a chain is one level at any length`(_ chain: String) throws {
        let text = Array(repeating: "a", count: RuleLimits.sourceExpressions - 1).joined(separator: " \(chain) ")
        var findings = RuleFindings(RuleSource(text, name: "c"))
        guard case .logical(_, let operands)? = ExpressionParser.parse(&findings)?.kind else {
            Issue.record("no chain")
            return
        }
        #expect(findings.isUsable && operands.count == RuleLimits.sourceExpressions - 1)
        let errors = conditionErrors(text + " \(chain) a")
        #expect(errors.count == 1 && errors[0].contains("rules have at most 32768 expressions"))
    }

    struct Limit: CustomTestStringConvertible, Sendable {
        var most: Int
        var what: String
        /// Returns the body of a service with the given number of parts.
        var text: @Sendable (Int) -> String

        var testDescription: String { "\(most) \(what)" }
    }

    static let limits = [
        Limit(most: RuleLimits.parameters, what: "parameters") { "function f(\(names($0, ", "))) { return 1; }" },
        Limit(most: RuleLimits.lets, what: "lets") { "function f() { let \(names($0, " = 1; let ")) = 1; return 1; }" },
        Limit(most: RuleLimits.captures, what: "captures") { "match /{\(names($0, "}/{"))} { allow read; }" },
        Limit(most: RuleLimits.captures, what: "captures") {
            "match /{\(names(5, "}/{"))} { match /{\(names($0 - 5, "}/{"))} { } }"
        },
        Limit(most: RuleLimits.pathSegments, what: "segments") { "match /\(names($0, "/")) { allow read; }" },
        Limit(most: RuleLimits.pathSegments, what: "segments") {
            "match /\(names(60, "/")) { match /\(names($0 - 60, "/")) { } }"
        },
        Limit(most: RuleLimits.pathSegments, what: "segments") {
            "match /a { allow read: if b == /\(names($0, "/")); }"
        },
        Limit(most: RuleLimits.matchDepth, what: "nest") {
            String(repeating: "match /a { ", count: $0) + String(repeating: "}", count: $0)
        },
        Limit(most: RuleLimits.declarations, what: "functions") {
            String(repeating: "function f() { return 1; }", count: $0)
        },
        Limit(most: RuleLimits.declarations, what: "allow") {
            "match /a {" + String(repeating: "allow get;", count: $0) + "}"
        },
        Limit(most: RuleLimits.declarations, what: "matches") { String(repeating: "match /a {}", count: $0) },
    ]

    @Test(arguments: limits) func `a file has at most as many parts as the limits allow`(_ limit: Limit) {
        #expect(serviceErrors(limit.text(limit.most)) == [])
        let errors = serviceErrors(limit.text(limit.most + 1))
        #expect(errors.count == 1 && errors[0].contains("at most \(limit.most)") && errors[0].contains(limit.what))
        #expect(!errors[0].contains("separate file"))
    }

    @Test func `a file has at most 262,144 bytes`() {
        let text = service("match /a { allow read; }")
        let blanks = String(repeating: " ", count: RuleSource.maximumSize - text.utf8.count)
        #expect(file(text + blanks).errors == [])
        #expect(
            file(text + blanks + " ").errors == [
                "1:1 rules have at most 262144 bytes, but these have 262145; "
                    + "share conditions in functions, or move conditions of one path to allow of its route"
            ])
    }

    @Test func `as many errors are reported as the limit allows`() {
        let errors = allowErrors(String(repeating: "allow red;\n", count: 200))
        #expect(errors.count == RuleProblems.maximumCount)
        #expect(errors.last?.hasPrefix("51:7 ") == true)
    }

    private static func names(_ count: Int, _ separator: String) -> String {
        (0..<count).map { "a\($0)" }.joined(separator: separator)
    }
}
