import Testing

@testable import SecurityRules

@Suite struct ValueTextTests {
    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (-7, "-7"), (2.0, "2.0"), (1e100, "1e+100"), (.float(.nan), "NaN"),
            (.float(-.infinity), "-Infinity"), ("it's", #"'it\'s'"#), ("\\", #"'\\'"#), ("a\nb\r\t", #"'a\nb\r\t'"#),
            ("\u{0}\u{1B}[31m", #"'\u0000\u001B[31m'"#), ("\u{202E}x\u{2028}", #"'\u202Ex\u2028'"#),
            ("\u{E0001}", #"'\U000E0001'"#), ("\u{20AC} \u{1F600}", "'\u{20AC} \u{1F600}'"),
            (.bytes([0x61, 0, 0x27, 0xFF]), #"b'a\x00\'\xFF'"#), ([1, ["a"]], "[1, ['a']]"), ([], "[]"),
            (["b": 1, "a'": nil], #"{'a\'': null, 'b': 1}"#), ([:], "{}"), (.set("a", 1), "['a', 1].toSet()"),
            (.diff(RuleMap(["a": 1]), RuleMap([:])), "{'a': 1}.diff({})"), (.time(0), "1970-01-01T00:00:00Z"),
            (.span(-1, 500_000_000), "-0.5s"), (.path("a", "b/c"), "/a/b%2Fc"), (.path(), "/"),
            (.path("a\n"), #"/a\n"#), (.unreadable, "<unreadable>"),
        ] as [(RuleValue, String)])
    func aValueWritesItselfAsTheLanguageDoes(value: RuleValue, text: String) {
        #expect(value.text == text)
    }

    @Test(
        arguments: [
            .string(String(repeating: "a", count: 10_000)), .string(String(repeating: "\u{1}", count: 10_000)),
            .list([RuleValue](repeating: 1, count: 10_000)), .bytes([UInt8](repeating: 0, count: 10_000)),
            .path(String(repeating: "/", count: 10_000)), (0..<1000).reduce(1) { value, _ in [value] },
            (0..<1000).reduce(1) { value, _ in ["a": value] },
        ] as [RuleValue])
    func aLongTextIsCut(value: RuleValue) {
        #expect(value.text.unicodeScalars.count == RuleLimits.textLength)
        #expect(value.text.hasSuffix("..."))
    }

    @Test func aTextOfJustTheLengthIsNot() {
        let value = RuleValue.string(String(repeating: "a", count: RuleLimits.textLength - 2))
        #expect(value.text.unicodeScalars.count == RuleLimits.textLength)
        #expect(value.text.hasSuffix("a'"))
    }
}
