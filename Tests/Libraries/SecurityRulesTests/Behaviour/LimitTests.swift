import Testing

@testable import SecurityRules

/// Each documented limit: what reaches it passes, and one more does not.
@Suite struct LimitTests {
    /// Blocks in each other, the innermost with a rule.
    private static func nested(_ depth: Int) -> String {
        String(repeating: "match /a { ", count: depth) + "allow read; " + String(repeating: "} ", count: depth)
    }

    private static func joined(_ count: Int, by separator: String, _ text: (Int) -> String) -> String {
        (0..<count).map(text).joined(separator: separator)
    }

    private func ask(_ text: String, _ path: String) -> RuleAnswer {
        var ask = RuleAsk()
        ask.path = path
        return ask.file(text)
    }

    private func isRefused(_ answer: RuleAnswer) -> Bool {
        if case .refused = answer { true } else { false }
    }

    @Test func matchBlocksNest10Deep() {
        #expect(ask(Self.nested(10), String(repeating: "/a", count: 10)) == .isTrue)
        #expect(isRefused(ask(Self.nested(11), String(repeating: "/a", count: 11))))
    }

    @Test func aPatternHas20Captures() {
        let pattern = { count in
            "match " + Self.joined(count, by: "") { "/{c\($0)}" } + " { allow read: if c0 == 'a'; }"
        }
        #expect(ask(pattern(20), String(repeating: "/a", count: 20)) == .isTrue)
        #expect(isRefused(ask(pattern(21), String(repeating: "/a", count: 21))))
    }

    @Test func aPathHas100Segments() {
        let all = "match /{all=**} { allow read; }"
        #expect(ask(all, String(repeating: "/a", count: 100)) == .isTrue)
        #expect(ask(all, String(repeating: "/a", count: 101)) == .limit)
    }

    @Test func functionsCallEachOther20Deep() {
        let chain = { count in
            Self.joined(count - 1, by: "") { "function f\($0)() { return f\($0 + 1)(); } " }
                + "function f\(count - 1)() { return true; } match /a { allow read: if f0(); }"
        }
        #expect(ask(chain(20), "/a") == .isTrue)
        #expect(isRefused(ask(chain(21), "/a")))
    }

    @Test func aFunctionHas7Parameters() {
        let function = { count in
            let names = Self.joined(count, by: ", ") { "p\($0)" }
            let sum = Self.joined(count, by: " + ") { "p\($0)" }
            let call = Self.joined(count, by: ", ") { "\($0)" }
            return "function f(\(names)) { return \(sum) > 0; } match /a { allow read: if f(\(call)); }"
        }
        #expect(ask(function(7), "/a") == .isTrue)
        #expect(isRefused(ask(function(8), "/a")))
    }

    @Test func aFunctionHas10Lets() {
        let function = { count in
            let lets = Self.joined(count, by: " ") { "let l\($0) = \($0);" }
            let sum = Self.joined(count, by: " + ") { "l\($0)" }
            return "function f() { \(lets) return \(sum) > 0; } match /a { allow read: if f(); }"
        }
        #expect(ask(function(10), "/a") == .isTrue)
        #expect(isRefused(ask(function(11), "/a")))
    }

    @Test func aRequestEvaluates1000Expressions() {
        let chain = { count in Self.joined(count, by: " && ") { _ in "auth.token.bool" } }
        #expect(RuleAsk().condition(chain(300)) == .isTrue)
        #expect(RuleAsk().condition(chain(1001)) == .limit)
    }

    /// Whatever another operand says.
    @Test func noOperandMakesUpForALimit() {
        let chain = Self.joined(1001, by: " && ") { _ in "auth.token.bool" }
        #expect(RuleAsk().condition("(\(chain)) || true") == .limit)
    }

    @Test func rulesHave256KiB() {
        let rules = "rules_version = '2'; service gatehouse.http { match /a { allow read; } } //"
        let padding = RuleSource.maximumSize - rules.utf8.count
        #expect(ask(rules + String(repeating: "x", count: padding), "/a") == .isTrue)
        #expect(isRefused(ask(rules + String(repeating: "x", count: padding + 1), "/a")))
    }
}
