@testable import SecurityRules

extension MethodRow {
    static let strings = [
        MethodRow("", .size, is: 0), MethodRow("abc", .size, is: 3),
        // Scalars, not bytes or characters.
        MethodRow("e\u{301}", .size, is: 2), MethodRow("\u{1F600}", .size, is: 1),
        MethodRow(.bytes("\u{20AC}"), .size, is: 3), MethodRow([1, [2, 3]], .size, is: 2),
        MethodRow(.set(1, 2), .size, is: 2), MethodRow(["a": 1], .size, is: 1), MethodRow([:], .size, is: 0),
        MethodRow(nil, .size, fails: .null), MethodRow(1, .size, fails: .wrongKind),
        MethodRow(true, .size, fails: .wrongKind), MethodRow(.path("a"), .size, fails: .wrongKind),
        MethodRow(.unreadable, .size, fails: .unreadable), MethodRow("ABC123", .lower, is: "abc123"),
        MethodRow("\u{C4}", .lower, is: "\u{E4}"), MethodRow(1, .lower, fails: .wrongKind),
        MethodRow(nil, .lower, fails: .null), MethodRow("abc-1", .upper, is: "ABC-1"),
        MethodRow("\u{DF}", .upper, is: "SS"), MethodRow(["a"], .upper, fails: .wrongKind),
        MethodRow("  a b\t\n", .trim, is: "a b"), MethodRow("\u{2003}\u{A0}", .trim, is: ""),
        MethodRow("a", .trim, is: "a"), MethodRow(.bytes(" a "), .trim, fails: .wrongKind),
        MethodRow("\u{20AC}", .toUtf8, is: .bytes([0xE2, 0x82, 0xAC])), MethodRow("", .toUtf8, is: .bytes([])),
        MethodRow(.bytes("a"), .toUtf8, fails: .wrongKind),
    ]

    static let bytes = [
        // Examples of the reference of Firebase rules, then of RFC 4648 section 10.
        MethodRow(.bytes([0xFB, 0xEF, 0xBE]), .toBase64, is: "----"), MethodRow(.bytes([0xFF]), .toBase64, is: "_w=="),
        MethodRow(.bytes(""), .toBase64, is: ""), MethodRow(.bytes("f"), .toBase64, is: "Zg=="),
        MethodRow(.bytes("fo"), .toBase64, is: "Zm8="), MethodRow(.bytes("foo"), .toBase64, is: "Zm9v"),
        MethodRow(.bytes("foob"), .toBase64, is: "Zm9vYg=="), MethodRow(.bytes("fooba"), .toBase64, is: "Zm9vYmE="),
        MethodRow(.bytes("foobar"), .toBase64, is: "Zm9vYmFy"), MethodRow("foo", .toBase64, fails: .wrongKind),
        MethodRow(.bytes("\u{20AC}"), .toHexString, is: "E282AC"), MethodRow(.bytes("**"), .toHexString, is: "2A2A"),
        MethodRow(.bytes([0, 15]), .toHexString, is: "000F"), MethodRow(.bytes(""), .toHexString, is: ""),
        MethodRow("a", .toHexString, fails: .wrongKind),
    ]

    static let patterns = [
        MethodRow("user@domain.com", .matches, ".*@domain[.]com", is: true),
        MethodRow("banana", .matches, ".*@domain[.]com", is: false), MethodRow("xay", .matches, "a", is: false),
        MethodRow("a", .matches, "(", fails: .invalidText), MethodRow("a", .matches, 1, fails: .wrongKind),
        MethodRow("a", .matches, .string(String(repeating: "a", count: 4097)), fails: .invalidText),
        MethodRow(1, .matches, "1", fails: .wrongKind), MethodRow("banana", .replace, "a", "o", is: "bonono"),
        MethodRow("banana", .replace, "ana", "ee", is: "beena"), MethodRow("foo", .replace, ".", "-", is: "---"),
        MethodRow("a", .replace, "[", "b", fails: .invalidText), MethodRow("a", .replace, "a", nil, fails: .wrongKind),
        MethodRow("a/b/c", .split, "/", is: ["a", "b", "c"]), MethodRow("abc", .split, "/", is: ["abc"]),
        MethodRow("a", .split, "*", fails: .invalidText), MethodRow(["a"], .split, "/", fails: .wrongKind),
    ]
}
