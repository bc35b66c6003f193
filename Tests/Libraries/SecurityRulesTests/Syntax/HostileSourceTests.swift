import Testing

@testable import SecurityRules

@Suite struct HostileSourceTests {
    /// Texts that a source repeats.
    static let repeated = [
        "(", "[", "{", "!", "-", "a.", "a.a", "a[", "f(", "/a/$(", "a?", "a ? b :", "a+", "a&&", "a||", ")", "]", "}",
        ";", "'", "\"", "`", "\\", "/", "//\n", "/*", "/(", "0", "9", "0x", "1e", ".", ",", ":", "=", "a ",
        "a.matches(/", "$", "$(", "é", "b'\\xff", "r'", "'\\u", "allow read: if (\n", "match /a {\n", "match /{a}",
        "match /", "match /a/", "match /{", "function f() {\n", "function f(a,", "let x = \n", "return \n",
        "service a.", "rules_version = '2';", "if\n", "not ", "in in ", "is is ", "\n", "{'a':", "a in ", "a is b ",
        "#\n", "@", "& ", "=== ", "a === ", "match \"", "allow allow,", "{x=**}", "a[1:",
    ]

    @Test(arguments: repeated) func `a source that repeats one text ends in errors`(_ part: String) {
        let text = String(repeating: part, count: 8000 / part.utf8.count)
        checkCondition(text)
        checkFile(text)
        checkFile("rules_version = '2'; service gatehouse.http { match /a { \(text)")
    }

    @Test(arguments: ["(", "!", "-", "a.", "a && ", "allow read: if (\n", "match /a {\n", "'", "/("])
    func `a source of the maximum size that repeats one text ends in errors`(_ part: String) {
        let text = String(repeating: part, count: RuleSource.maximumSize / part.utf8.count)
        checkCondition(text)
        checkFile(text)
    }

    private func checkFile(_ text: String) {
        var findings = RuleFindings(RuleSource(text, name: "h"))
        _ = RulesetParser.parse(&findings)
        check(findings)
    }

    private func checkCondition(_ text: String) {
        var findings = RuleFindings(RuleSource(text, name: "h"))
        _ = ExpressionParser.parse(&findings)
        check(findings)
    }

    private func check(_ findings: RuleFindings) {
        #expect(findings.errors.count <= RuleProblems.maximumCount)
        #expect(findings.errors.allSatisfy { $0.what.utf8.count < 256 && $0.remedy.utf8.count < 256 })
        #expect(findings.errors.allSatisfy { $0.description.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    }

    @Test(
        arguments: [
            ([0x61, 0], "1:2 the control character U+0000 is not allowed"),
            ([0x61, 0x0A, 0x62, 0x1B], "2:2 the control character U+001B is not allowed"),
            (Array("a // b\rc".utf8), "1:7 the control character U+000D is not allowed"),
            ([0x61, 0x7F], "1:2 the control character U+007F"),
            (Array("'\u{202E}'".utf8), "1:2 the control character U+202E"),
            (Array("'\u{2066}'".utf8), "1:2 the control character U+2066"),
            (Array("a\u{2028}".utf8), "1:2 the control character U+2028"),
            (Array("\u{85}".utf8), "1:1 the control character U+0085"),
            ([0x27, 0xFF, 0x27], "1:2 this is not UTF-8"), ([0x27, 0xC3, 0x27], "1:2 this is not UTF-8"),
            ([0x27, 0xED, 0xA0, 0x80, 0x27], "1:2 this is not UTF-8"),
            ([0x27, 0xC0, 0x80, 0x27], "1:2 this is not UTF-8"),
            ([0xFE, 0xFF, 0, 0x61], "1:1 this is not UTF-8"),
            (Array("é\n'é".utf8) + [0xE2, 0x82], "2:3 this is not UTF-8"),
        ] as [([UInt8], String)])
    func `invisible characters and invalid UTF-8 are refused`(bytes: [UInt8], message: String) {
        var findings = RuleFindings(RuleSource(bytes, name: "h"))
        #expect(ExpressionParser.parse(&findings) == nil)
        #expect(begin(errors(findings), with: [message]))
    }

    @Test(arguments: [
        "9", "0.", "0x", "1e", "1e-", "a", "'a", "'\\n",
    ])
    func `a huge literal has short messages`(_ start: String) {
        let digits = String(repeating: start.contains("a") ? "a" : "9", count: 200_000)
        let errors = conditionErrors(start + digits + (start.hasPrefix("'") ? "' == 1 1" : " == 1 1"))
        #expect(!errors.isEmpty && errors.allSatisfy { $0.utf8.count < 400 })
    }

    @Test(arguments: [
        "match /a { allow \(name); }", "match /a { allow read: if $\(name); }", "match \(name) { }",
        "match /$\(name) { }", "function f() { let \(name); return 1; }", "match /:\(name) { allow \(name): if true; }",
        "\(name);",
    ]) func `a long name is truncated in messages`(_ text: String) {
        let errors = serviceErrors(text)
        let cut = Self.name.prefix(32) + "..."
        #expect(!errors.isEmpty && errors.allSatisfy { $0.contains(cut) && $0.utf8.count < 300 })
    }

    private static let name = String(repeating: "name_", count: 400)

    @Test func `any long word is truncated in messages`() {
        let errors = allowErrors("allow \(String(repeating: "é", count: 3))\(String(repeating: "x", count: 5000));")
        #expect(errors.allSatisfy { $0.utf8.count < 400 })
        #expect(conditionErrors(String(repeating: "x", count: 5000) + " y")[0].utf8.count < 400)
    }
}
