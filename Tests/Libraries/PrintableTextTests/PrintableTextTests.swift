import PrintableText
import Testing

struct PrintableTextTests {
    /// L-02: invisible scalars, and scalars that change the display of other text.
    static let hostile: [Unicode.Scalar] =
        (0...0x1F).map { Unicode.Scalar(UInt8($0)) } + (0x7F...0x9F).map { Unicode.Scalar(UInt8($0)) } + [
            "\u{061C}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}",
            "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{FEFF}", "\u{E000}", "\u{E0001}",
        ]

    @Test(arguments: hostile) func `an invisible scalar is escaped`(scalar: Unicode.Scalar) {
        let text = "a\(scalar)b"
        for shown in [
            PrintableText.escaped(text), PrintableText.quoted(text), PrintableText.field(text),
            PrintableText.short(text, limit: 9),
        ] {
            #expect(!shown.unicodeScalars.contains(scalar))
            #expect(shown.unicodeScalars.allSatisfy(PrintableText.isPrintable))
        }
    }

    @Test(arguments: ["", "plain text", "\"quotes\" and \\", "\u{e9}\u{20AC}\u{1F600}", "\u{5D0}\u{5D1} \u{627}"])
    func `printable text is unchanged`(text: String) {
        #expect(PrintableText.escaped(text) == text)
        #expect(PrintableText.short(text, limit: 100) == text)
    }

    @Test func `escapes are JSON escapes`() {
        #expect(PrintableText.escaped("\u{1B}\u{85}\u{202E}\u{E0001}") == #"\u001b\u0085\u202e\udb40\udc01"#)
        #expect(PrintableText.quoted("a\"\\\n\r\t\u{0}") == #""a\"\\\n\r\t\u0000""#)
    }

    @Test func `only line feeds of the program stay`() {
        #expect(PrintableText.escaped("a\nb\rc", keepsLineFeeds: true) == "a\nb\\u000dc")
        #expect(PrintableText.escaped("a\nb") == "a\\u000ab")
        // Swift's \r\n is one character of two scalars.
        #expect(PrintableText.escaped("a\r\nb", keepsLineFeeds: true) == "a\\u000d\nb")
    }

    @Test(arguments: [
        ("ada", "ada"), ("http://h:1/p?q", "http://h:1/p?q"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""),
        ("a\u{A0}b", "\"a\u{A0}b\""), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#), ("a\nb", #""a\nb""#),
    ])
    func `a field has one end`(text: String, written: String) {
        #expect(PrintableText.field(text) == written)
    }

    @Test func `a long text is truncated between scalars`() {
        #expect(PrintableText.short("abcdef", limit: 5) == "abcde...")
        #expect(PrintableText.short("abcde", limit: 5) == "abcde")
        let accents = "e" + String(repeating: "\u{301}", count: 100)
        #expect(PrintableText.short(accents, limit: 10).unicodeScalars.count == 13)
    }
}
