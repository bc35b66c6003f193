import Testing

@testable import SecurityRules

@Suite struct LexicalErrorTests {
    @Test(arguments: [
        ("`text` == a", ["1:1 strings are not delimited by backticks"]),
        ("`text", ["1:1 strings are not delimited by backticks"]),
        ("'abc == 1", ["1:1 this string is not closed on its line"]),
        (#""abc"#, ["1:1 this string is not closed on its line"]),
        ("a == 'abc && b", ["1:6 this string is not closed on its line"]),
        ("r'abc", ["1:1 this string is not closed on its line"]),
        (#"'a\'"#, ["1:1 this string is not closed on its line"]),
        (#"'\"#, ["1:1 this string is not closed on its line"]),
        ("'''abc''' == a", ["1:1 triple-quoted strings are not supported"]),
        (#""""abc"#, ["1:1 triple-quoted strings are not supported"]),
        (#"'\d+'"#, [#"1:2 '\d' is not an escape"#]),
        (#"'\xZZ'"#, [#"1:2 '\x' is not an escape"#]),
        (#"'\u12'"#, [#"1:2 '\u' is not an escape"#]),
        (#"'\uD800'"#, [#"1:2 '\uD800' is not an escape"#]),
        (#"'\U00110000'"#, [#"1:2 '\U00110000' is not an escape"#]),
        (#"'\400'"#, [#"1:2 '\4' is not an escape"#]),
        (#"'\é'"#, [#"1:2 '\é' is not an escape"#]),
        (#"b'\u0041'"#, [#"1:3 '\u0041' is not an escape"#]),
        ("1_000", ["1:1 a number cannot contain letters or '_'"]),
        ("5u", ["1:1 a number cannot contain letters or '_'"]),
        ("10L", ["1:1 a number cannot contain letters or '_'"]),
        ("1.5f", ["1:1 a number cannot contain letters or '_'"]),
        ("0xZZ", ["1:1 a number cannot contain letters or '_'"]),
        ("0x", ["1:1 a number cannot contain letters or '_'"]),
        ("010", ["1:1 a number does not begin with 0"]),
        ("00.5", ["1:1 a number does not begin with 0"]),
        ("0xFFFFFFFFFFFFFFFFFF", ["1:1 this number is out of range"]),
        ("9223372036854775808", ["1:1 this number is out of range"]),
        ("-9223372036854775809", ["1:2 this number is out of range"]),
        ("18446744073709551616", ["1:1 this number is out of range"]),
        ("1e309", ["1:1 this number is out of range"]),
    ])
    func `an invalid literal is reported`(text: String, messages: [String]) {
        #expect(begin(conditionErrors(text), with: messages))
    }

    @Test(arguments: [
        ("a @ b", ["1:3 unexpected '@'"]),
        (#"a == \"#, [#"1:6 unexpected '\'"#]),
        ("$ == 1", ["1:1 unexpected '$'"]),
        ("“a” == b", ["1:1 '“' is a typographic quotation mark"]),
        ("a == ‘x’", ["1:6 '‘' is a typographic quotation mark"]),
        ("ä == b", ["1:1 U+00E4 outside of a string"]),
        ("a\u{A0}== b", ["1:2 a space character other than U+0020 (U+00A0)"]),
        ("a == \u{200B}b", ["1:6 a space character other than U+0020 (U+200B)"]),
        ("a == 🎉🎉", ["1:6 U+1F389 outside of a string"]),
        ("a /* open", ["1:3 this comment is not closed"]),
        ("x == /*", ["1:6 this comment is not closed", "1:8 expected a value, found the end"]),
    ])
    func `an unknown character is reported`(text: String, messages: [String]) {
        #expect(begin(conditionErrors(text), with: messages))
    }
}
