import Testing

@testable import SecurityRules

/// The documented limits of rules files: a file at the limit loads and is evaluated, a larger one is refused.
@Suite struct LimitTests {
    struct Limit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let most: Int
        /// A file with `count` parts, for a path of `count` segments `a`.
        let file: @Sendable (Int) -> String

        init(_ most: Int, _ name: String, _ file: @escaping @Sendable (Int) -> String) {
            (testDescription, self.most, self.file) = (name, most, file)
        }
    }

    static let limits = [
        Limit(10, "match blocks in each other") { count in
            String(repeating: "match /a { ", count: count) + "allow read; " + String(repeating: "} ", count: count)
        },
        Limit(20, "captures in a pattern") { count in
            "match " + joined(count) { "/{c\($0)}" } + " { allow read: if c0 == 'a'; }"
        },
        Limit(20, "functions that call each other") { count in
            joined(count - 1) { "function f\($0)() { return f\($0 + 1)(); } " }
                + "function f\(count - 1)() { return true; } match /{all=**} { allow read: if f0(); }"
        },
        Limit(7, "parameters of a function") { count in
            let (names, values) = (joined(count, by: ", ") { "p\($0)" }, joined(count, by: ", ") { "\($0)" })
            let sum = joined(count, by: " + ") { "p\($0)" }
            return "function f(\(names)) { return \(sum) > 0; } match /{all=**} { allow read: if f(\(values)); }"
        },
        Limit(10, "lets of a function") { count in
            let lets = joined(count, by: " ") { "let l\($0) = \($0);" }
            let sum = joined(count, by: " + ") { "l\($0)" }
            return "function f() { \(lets) return \(sum) > 0; } match /{all=**} { allow read: if f(); }"
        },
    ]

    private static func joined(_ count: Int, by separator: String = "", _ text: (Int) -> String) -> String {
        (0..<count).map(text).joined(separator: separator)
    }

    @Test(arguments: limits) func `a file at a limit is evaluated, and a larger one is refused`(limit: Limit) {
        func outcome(_ count: Int) -> RuleOutcome {
            SampleRequest(path: String(repeating: "/a", count: count)).outcome(ofFile: limit.file(count))
        }
        #expect(outcome(limit.most) == .isTrue)
        guard case .refused = outcome(limit.most + 1) else {
            Issue.record("\(limit.most + 1) are not refused")
            return
        }
    }
}
