import Testing

@testable import SecurityRules

@Suite struct CheckedWarningTests {
    @Test(arguments: [
        CheckedRow(
            "match /a { allow read, write; }", "2:12", "anonymous clients may write, since no condition tests the user"),
        CheckedRow(
            "match /a { allow create: if true; }", "2:12",
            "anonymous clients may create, since no condition tests the user"),
        CheckedRow(
            "match /a { allow get, create, delete; }", "2:12",
            "anonymous clients may create, delete, since no condition tests the user"),
        CheckedRow(
            "match /a { allow write: if 1 == 1; }", "2:12",
            "anonymous clients may write, since no condition tests the user"),
        CheckedRow("match /a { allow read: if 1 == 1; }", "2:27", "this is always true"),
        CheckedRow("match /a { allow read: if false; }", "2:12", "this never allows anything"),
        CheckedRow("match /a { allow read: if 2 < 1; }", "2:12", "this never allows anything"),
        CheckedRow(
            "match /a { allow read; allow get: if auth != null; }", "2:24",
            "its requests are already allowed on line 2, without a condition"),
        CheckedRow(
            "match /a { allow get; allow list: if true;\nallow read: if auth != null; }", "3:1",
            "its requests are already allowed on line 2"),
        CheckedRow(
            "match /a/{b} { allow read; }\nmatch /a/{c} { allow read: if auth.uid == c; }", "3:16",
            "its requests are already allowed on line 2"),
        CheckedRow(
            "match /a { match /b { allow read; } }\nmatch /a/b { allow read: if auth != null; }", "3:14",
            "its requests are already allowed on line 2"),
        CheckedRow("match /a { }", "2:1", "this block contains no allow"),
        CheckedRow("match /a { match /b { match /c { } } }", "2:1", "this block contains no allow"),
        CheckedRow(
            "match /a { allow read: if auth != null; match /b { } }", "2:41", "this block contains no allow"),
        CheckedRow(
            "function f() { return true; }\nmatch /a { allow read: if auth != null; }", "2:10", "no condition calls f"),
        CheckedRow(
            "function f(a, b) { return a == 1; }\nmatch /a { allow read: if f(1, 2); }", "2:15", "b is never used in f"),
        CheckedRow(
            "function f() { let a = 1; return auth != null; }\nmatch /a { allow read: if f(); }", "2:20",
            "a is never used in f"),
    ])
    func `a rule without effect, or one that allows everyone to write, has a warning`(row: CheckedRow) {
        let findings = Checked.service(row.source)
        #expect(findings.errors.isEmpty)
        expect(findings.warnings, toBe: row)
    }

    @Test func `a block that only repeats an earlier one has one warning`() {
        let warnings = Checked.service(
            "match /{a=**} { allow read, write; }\nmatch /{b=**} { allow get: if b[0] == 'a'; allow write: if b[0] == 'b'; }"
        ).warnings
        #expect(warnings.map(\.location.line) == [2, 3])
        #expect(warnings.last?.what == "all requests of this block are already allowed on line 2, without a condition")
    }

    @Test func `functions that only unused functions call are unused`() {
        let warnings = Checked.service(
            "function f() { return g(); } function g() { return true; }\nmatch /a { allow read: if auth != null; }"
        ).warnings
        #expect(warnings.map(\.what) == ["no condition calls f", "no condition calls g"])
    }

    @Test func `a file that allows nothing has a warning`() {
        #expect(Checked.service("").warnings.map(\.what) == ["there is no match block, so nothing is allowed"])
    }

    @Test(arguments: [
        CheckedRow("true", "1:1", "this is always true, so it permits every request"),
        CheckedRow("false", "1:1", "this is never true, so it denies every request"),
        CheckedRow("'a' == 'b'", "1:1", "this is never true, so it denies every request"),
        CheckedRow("!(null == null)", "1:1", "this is never true"),
        CheckedRow("auth != null && true", "1:17", "it has no effect as an operand of &&"),
        CheckedRow("false || auth != null", "1:1", "it has no effect as an operand of ||"),
        CheckedRow("true ? auth != null : false", "1:1", "only the expression before the : has an effect"),
        CheckedRow("uid != null && auth.uid == uid", "1:1", "this is always true: uid is a string, never null"),
        CheckedRow(
            "auth.provider == 'google.com'", "1:18",
            "auth.provider has short names, so it is never 'google.com'; write 'google'"),
    ])
    func `a condition that is always the same has a warning`(row: CheckedRow) {
        let findings = Checked.condition(row.source)
        #expect(findings.errors.isEmpty)
        expect(findings.warnings, toBe: row)
    }

    @Test func `an operand that decides a whole chain has a warning with it`() {
        let warnings = Checked.condition("auth != null || true").warnings
        #expect(warnings.map(\.what) == ["this is always true", "this is always true, so it permits every request"])
    }
}
