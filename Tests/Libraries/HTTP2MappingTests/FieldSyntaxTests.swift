import NIOCore
import NIOHPACK
import Testing

@testable import HTTP2Mapping

@Suite struct FieldSyntaxTests {
    @Test(arguments: [
        ("x-a", true), (":path", true), ("a1._~!#$%&'*+^`|", true), ("", false), (":", false), ("A", false),
        ("xA", false), ("x y", false), ("x:y", false), ("::x", false), ("x\u{0}", false), ("x\u{7F}", false),
        ("é", false), ("x\r", false), ("x\"", false), ("x(", false), ("x/", false),
    ])
    func `M-11, M-36: a field name is a token in lower case`(name: String, isValid: Bool) {
        #expect(FieldSyntax.isName(name.utf8) == isValid)
    }

    @Test(arguments: [
        ("", true), ("a", true), ("a b\tc", true), ("é", true), (" a", false), ("a ", false), ("\ta", false),
        ("a\t", false), ("a\rb", false), ("a\nb", false), ("a\r\nx: y", false), ("a\u{0}", false), ("\u{7F}", false),
        ("\u{1}", false), (" ", false), ("a\u{FFFD}", false), ("\u{FFFD}", false), ("\u{FFFC}", true),
    ])
    func `M-12, M-13: a field value has no control byte, no whitespace at its ends and no replacement`(
        value: String, isValid: Bool
    ) {
        #expect(FieldSyntax.isValue(value.utf8) == isValid)
    }

    @Test(arguments: [
        ("x-a", "", false), ("x-a", "é", false), ("x-a", "\u{FFFC}\u{FFFE}", false), ("x-a", "\u{FFFD}", true),
        ("x-a", "a\u{FFFD}b", true), ("x\u{FFFD}", "a", true),
    ])
    func `a head with a replaced byte is recognized`(name: String, value: String, isRepaired: Bool) {
        let headers: HPACKHeaders = [":method": "GET", name: value, "x-b": "c"]
        #expect(FieldSyntax.isRepaired(headers) == isRepaired)
    }

    @Test(
        arguments: [
            ("0", 0), ("5", 5), ("007", 7), ("9223372036854775807", 9_223_372_036_854_775_807), ("", nil), ("+5", nil),
            ("-0", nil), ("0x5", nil), ("5, 5", nil), ("5 ", nil), ("9223372036854775808", nil),
            ("18446744073709551616", nil), ("00000000000000000005", nil), ("٥", nil),
        ] as [(String, UInt64?)])
    func `M-18: a content length is digits only`(value: String, length: UInt64?) {
        #expect(FieldSyntax.length(value.utf8) == length)
    }

    @Test(arguments: [
        "", "plain", "\\\\\\^^^^<<<>>>", "aZ09 %~|{}", "éééé", String(repeating: "\u{10FFFF}", count: 40),
    ])
    func `the bound of an encoded head is not below its size`(text: String) throws {
        var fields: HPACKHeaders = [:]
        for _ in 0..<20 { fields.add(name: "x-\(fields.count)", value: text, indexing: .neverIndexed) }
        var encoder = HPACKEncoder(allocator: .init())
        try encoder.beginEncoding(allocator: .init())
        try encoder.append(headers: fields)
        #expect(try encoder.endEncoding().readableBytes <= FieldEncoding.maximumSize(of: fields))
    }

    @Test(arguments: UInt8(0x20)...0x7E)
    func `the bound holds for each visible character`(byte: UInt8) throws {
        var fields: HPACKHeaders = [:]
        fields.add(
            name: "x", value: String(repeating: Character(Unicode.Scalar(byte)), count: 4000), indexing: .neverIndexed)
        var encoder = HPACKEncoder(allocator: .init())
        try encoder.beginEncoding(allocator: .init())
        try encoder.append(headers: fields)
        #expect(try encoder.endEncoding().readableBytes <= FieldEncoding.maximumSize(of: fields))
    }
}
