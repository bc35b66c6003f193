import Testing
import TextCoding

struct PercentEncodingTests {
    @Test func `hexadecimal digits of both cases have a value`() {
        for byte in UInt8.min ... .max {
            let digit = byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue : nil
            #expect(HexDigits.value(of: byte).map(Int.init) == digit)
        }
        #expect(HexDigits.text(of: [0, 0x9a, 0xff]) == "009aff")
    }

    @Test func `every byte round-trips, and encoded text is unreserved`() {
        let bytes = Array(UInt8.min ... .max)
        let text = PercentEncoding.encoded(bytes)
        #expect(PercentEncoding.decoded(text) == bytes)
        #expect(FormEncoding.decoded(text) == bytes)
        #expect(text.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "%") })
        #expect(
            String(decoding: PercentEncoding.encoded("aZ09-._~ +/é".utf8), as: UTF8.self) == "aZ09-._~%20%2B%2F%C3%A9")
    }

    @Test(arguments: ["%", "%4", "a%4", "%4g", "%g4", "%%41", "%+1"])
    func `an invalid escape has no bytes`(text: String) {
        #expect(PercentEncoding.decoded(text.utf8) == nil)
    }

    @Test func `escapes are decoded once, and plus is a space in forms only`() {
        #expect(PercentEncoding.decodedText("a+b%2541%2F%c3%A9".utf8) == "a+b%41/é")
        #expect(FormEncoding.decodedText("a+b%2B".utf8) == "a b+")
        #expect(PercentEncoding.decodedText("%ff".utf8) == nil)
    }

    @Test(
        arguments: [
            ("t=1", "1"), ("a=2&t=1&b=%ff", "1"), ("t=", ""), ("t", ""), ("%74=a%20b+c", "a b c"), ("", nil),
            ("a=1", nil), ("t=1&t=1", nil), ("t=1&%74=2", nil), ("t=%4", nil), ("%4=1&t=1", nil), ("t=%ff", nil),
        ] as [(String, String?)])
    func `a form has one field of a name`(body: String, value: String?) {
        #expect(FormEncoding.value(of: "t", in: Array(body.utf8)) == value)
    }

    @Test func `fields are separated`() {
        var text: [UInt8] = Array("/path?".utf8)
        FormEncoding.append("a", "1 2".utf8, to: &text)
        FormEncoding.append("b", "&".utf8, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == "/path?a=1%202&b=%26")
    }
}
