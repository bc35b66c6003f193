import Testing

@testable import SecurityRules

@Suite struct CheckedRecursionTests {
    @Test(arguments: [
        CheckedRow("function f() { return f(); }", "2:10", "f calls itself; rules have no recursion"),
        CheckedRow(
            "function f() { return g(); } function g() { return h(); } function h() { return f(); }", "2:10",
            "f calls itself indirectly: f -> g -> h -> f"),
        CheckedRow(
            "function a() { return f(); } function f() { let x = g(1); return x; } function g(n) { return n == 1 || f(); }",
            "2:39", "f -> g -> f"),
    ])
    func `recursion is refused with its cycle`(row: CheckedRow) {
        expect(Checked.service(row.source).errors, toBe: row)
    }

    @Test func `the message about a long cycle is shortened`() {
        let functions = (0..<12).map { "function f\($0)() { return f\(($0 + 1) % 12)(); }" }
        let errors = Checked.service(functions.joined(separator: "\n")).errors
        #expect(
            errors.map(\.what) == [
                "f0 calls itself indirectly: f0 -> f1 -> f2 -> f3 -> f4 -> f5 -> f6 -> f7 -> ... -> f0"
            ])
    }

    private func chain(_ count: Int) -> String {
        let functions = (1..<count).map { "function f\($0)() { return f\($0 + 1)(); }" }
        return functions.joined(separator: "\n")
            + "\nfunction f\(count)() { return auth != null; }\nmatch /a { allow read: if f1(); }"
    }

    @Test func `calls nest at most 20 deep`() {
        #expect(Checked.service(chain(RuleLimits.callDepth)).errors.isEmpty)
        let errors = Checked.service(chain(RuleLimits.callDepth + 1)).errors
        expect(errors, toBe: CheckedRow("", "2:10", "calls from f1 nest deeper than 20; shorten the chain of calls"))
    }

    @Test func `a chain of thousands of functions is checked without recursion`() {
        let errors = Checked.service(chain(4_000)).errors
        #expect(errors.map(\.what) == ["calls from f3980 nest deeper than 20"])
    }

    @Test func `a cycle of thousands of functions is reported once`() {
        let functions = (0..<4_000).map { "function f\($0)() { return f\(($0 + 1) % 4_000)(); }" }
        #expect(
            Checked.service(functions.joined(separator: "\n")).errors.contains {
                $0.what.hasPrefix("f0 calls itself indirectly: ")
            })
    }

    @Test func `functions that call the next one twice are checked once`() {
        let functions = (0..<19).map { "function f\($0)() { return f\($0 + 1)() && f\($0 + 1)(); }" }
        let findings = Checked.service(
            functions.joined(separator: "\n")
                + "\nfunction f19() { return auth != null; }\nmatch /a { allow read: if f0(); }")
        expectNothing(in: findings)
    }
}
