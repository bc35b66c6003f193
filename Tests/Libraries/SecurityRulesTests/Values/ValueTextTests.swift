import CivilCalendar
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
    func `the text of a value is in the syntax of the language`(value: RuleValue, text: String) {
        #expect(value.text == text)
    }

    @Test(
        arguments: [
            .string(String(repeating: "a", count: 10_000)), .string(String(repeating: "\u{1}", count: 10_000)),
            .list([RuleValue](repeating: 1, count: 10_000)), .bytes([UInt8](repeating: 0, count: 10_000)),
            .path(String(repeating: "/", count: 10_000)), (0..<1000).reduce(1) { value, _ in [value] },
            (0..<1000).reduce(1) { value, _ in ["a": value] },
        ] as [RuleValue])
    func `a long text is truncated`(value: RuleValue) {
        #expect(value.text.unicodeScalars.count == RuleLimits.textLength)
        #expect(value.text.hasSuffix("..."))
    }

    @Test func `a text of exactly the maximum length is not truncated`() {
        let value = RuleValue.string(String(repeating: "a", count: RuleLimits.textLength - 2))
        #expect(value.text.unicodeScalars.count == RuleLimits.textLength)
        #expect(value.text.hasSuffix("a'"))
    }
}

@Suite struct RuleTimeTextTests {
    @Test(
        arguments: [
            (-62_135_596_800, "0001-01-01T00:00:00Z", 1, 1), (253_402_300_799, "9999-12-31T23:59:59Z", 5, 365),
            (0, "1970-01-01T00:00:00Z", 4, 1), (-1, "1969-12-31T23:59:59Z", 3, 365),
            (951_782_400, "2000-02-29T00:00:00Z", 2, 60), (-2_203_891_200, "1900-03-01T00:00:00Z", 4, 60),
            (1_709_251_199, "2024-02-29T23:59:59Z", 4, 60), (1_735_603_200, "2024-12-31T00:00:00Z", 2, 366),
            (-12_219_292_800, "1582-10-15T00:00:00Z", 5, 288), (-12_219_379_200, "1582-10-14T00:00:00Z", 4, 287),
            (4_102_444_800, "2100-01-01T00:00:00Z", 5, 1),
        ] as [(Int64, String, Int64, Int64)])
    func `a known timestamp has its date`(seconds: Int64, text: String, dayOfWeek: Int64, dayOfYear: Int64) throws {
        let time = try #require(RuleTimestamp(seconds: seconds))
        #expect(time.text == text)
        #expect(time.civil.date.dayOfWeek == dayOfWeek)
        #expect(time.civil.date.dayOfYear == dayOfYear)
    }

    @Test func `timestamps are of the years 1 to 9999`() {
        #expect(RuleTimestamp(seconds: -62_135_596_801) == nil)
        #expect(RuleTimestamp(seconds: 253_402_300_800) == nil)
    }

    @Test(
        arguments: [
            (0, 0, "0s"), (300, 0, "300s"), (1, 500_000_000, "1.5s"), (-1, 500_000_000, "-0.5s"),
            (-2, 1, "-1.999999999s"), (315_576_000_000, 0, "315576000000s"), (-315_576_000_000, 0, "-315576000000s"),
            (0, 1, "0.000000001s"),
        ] as [(Int64, Int32, String)])
    func `a duration is written in seconds`(seconds: Int64, nanoseconds: Int32, text: String) {
        #expect(RuleDuration(seconds: seconds, nanoseconds: nanoseconds)?.text == text)
    }

    @Test(arguments: [(1, "00.000000001"), (120_000_000, "00.12"), (0, "00")] as [(Int32, String)])
    func `a timestamp has only the necessary decimals`(nanoseconds: Int32, text: String) {
        #expect(RuleTimestamp(seconds: 0, nanoseconds: nanoseconds)?.text == "1970-01-01T00:00:\(text)Z")
    }
}
