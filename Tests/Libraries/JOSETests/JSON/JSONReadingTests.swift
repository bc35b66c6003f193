import JOSE
import Testing

struct JSONReadingTests {
    private func refusal(of bytes: [UInt8], limits: JSONLimits = .token) -> JSONError? {
        do {
            _ = try JSONDocument(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(of text: String, limits: JSONLimits = .token) -> JSONError? {
        refusal(of: [UInt8](text.utf8), limits: limits)
    }

    @Test(
        arguments: [
            "{}", "[]", "[[],{}]", " \t\r\n{ } \n", "0", "-0", "1e9", "1E+9", "1.5e-3", "-12.0", "true", "false",
            "null",
            #""""#, #""a""#, #""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00""#, #""é€😀""#, #"{"a":{"a":{"a":[1,2]}}}"#,
            #"{"":1}"#, #"[1,"two",3.0,true,null,{"a":[]}]"#, #"{"a" : 1 , "b" : 2}"#, #""\u0000""#, "\"\u{7F}\"",
        ])
    func `valid JSON of RFC 8259 is accepted`(text: String) {
        #expect(refusal(of: text) == nil)
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd), (" ", .unexpectedEnd), ("{", .unexpectedEnd), ("[", .unexpectedEnd),
            ("[1", .unexpectedEnd), (#"{"a""#, .unexpectedEnd), (#"{"a":"#, .unexpectedEnd), (#""a"#, .unexpectedEnd),
            (#""a\"#, .unexpectedEnd), (#""\u00"#, .unexpectedEnd), ("tru", .unexpectedEnd), ("-", .unexpectedEnd),
            ("1.", .unexpectedEnd), ("1e", .unexpectedEnd), ("[1,]", .unexpectedByte), ("[,1]", .unexpectedByte),
            ("[1 2]", .unexpectedByte), (#"{"a":1,}"#, .unexpectedByte), ("{a:1}", .unexpectedByte),
            (#"{"a" 1}"#, .unexpectedByte), (#"{1:1}"#, .unexpectedByte), (#"{"a":1 "b":2}"#, .unexpectedByte),
            ("[}", .unexpectedByte), ("{]", .unexpectedByte), ("'a'", .unexpectedByte), ("truE", .unexpectedByte),
            ("NaN", .unexpectedByte), ("Infinity", .unexpectedByte), ("+1", .unexpectedByte), (".5", .unexpectedByte),
            ("01", .invalidNumber), ("-01", .invalidNumber), ("00", .invalidNumber), ("1.e3", .invalidNumber),
            ("-a", .invalidNumber), ("1e+a", .invalidNumber), ("{}{}", .trailingBytes), ("1 2", .trailingBytes),
            ("{}\u{0}", .trailingBytes), ("1.5.6", .trailingBytes), ("0x10", .trailingBytes),
            ("\u{FEFF}{}", .unexpectedByte), ("// c\n{}", .unexpectedByte), (#""\x""#, .invalidEscape),
            (#""\u00zz""#, .invalidEscape), (#""\U0041""#, .invalidEscape), ("\"a\nb\"", .controlCharacter),
            (#""\ud800""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate), (#""\ud800\ud800""#, .loneSurrogate),
            (#""\ud800x""#, .loneSurrogate), (#""\ud800\n""#, .loneSurrogate), (#""\udbff\u0041""#, .loneSurrogate),
            (#""\ude00\ud83d""#, .loneSurrogate), (#"{"\ud800":1}"#, .loneSurrogate),
            ("\"\u{0}\"", .controlCharacter), ("\"12345678\u{1F}\"", .controlCharacter), ("\u{A0}1", .unexpectedByte),
        ] as [(String, JSONError.Code)])
    func `text that is not JSON is rejected`(text: String, code: JSONError.Code) {
        #expect(refusal(of: text)?.code == code)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x28, 0xA1],
            [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are rejected`(bytes: [UInt8]) {
        #expect(refusal(of: [0x22] + bytes + [0x22])?.code == .invalidUTF8)
        #expect(refusal(of: [0x22] + [UInt8]("12345678".utf8) + bytes)?.code == .invalidUTF8)
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"\u0061":2}"#, #"{"x":{"b":1,"c":2,"b":3}}"#,
        #"{"é":1,"\u00e9":2}"#, #"{"😀":1,"\ud83d\ude00":2}"#, #"{"":1,"":2}"#, #"[{"a":1,"b":{},"a":[]}]"#,
        #"{"a/b":1,"a\/b":2}"#,
    ])
    func `a duplicate member is rejected in every spelling of its name`(text: String) {
        #expect(refusal(of: text)?.code == .duplicateMember)
    }

    @Test func `names that only look alike are different names`() {
        #expect(refusal(of: #"{"a":1,"A":2,"a ":3,"é":4,"e\u0301":5,"\\u0061":6}"#) == nil)
        #expect(refusal(of: #"{"a":{"a":1},"b":{"a":1}}"#) == nil)
    }

    @Test(arguments: [17, 100, 2000]) func `a duplicate member is found in a wide object`(width: Int) {
        let names = (0..<width).map { #""m\#($0)":0"# }
        let limits = JSONLimits(size: 1 << 20, depth: 8, members: 10_000)
        #expect(refusal(of: "{\(names.joined(separator: ","))}", limits: limits) == nil)
        #expect(refusal(of: "{\(names.joined(separator: ",")),\(names[3])}", limits: limits)?.code == .duplicateMember)
        let escaped = #""\u006d\#(width - 1)":0"#
        #expect(refusal(of: "{\(escaped),\(names.joined(separator: ","))}", limits: limits)?.code == .duplicateMember)
    }

    @Test func `the limits of size, depth and values are exact`() {
        #expect(refusal(of: "[1]", limits: JSONLimits(size: 3, depth: 1, members: 2)) == nil)
        #expect(refusal(of: "[1]", limits: JSONLimits(size: 2, depth: 1, members: 2))?.code == .tooLarge)
        #expect(refusal(of: "[1]", limits: JSONLimits(size: 3, depth: 0, members: 2))?.code == .tooDeep)
        #expect(refusal(of: "[1]", limits: JSONLimits(size: 3, depth: 1, members: 1))?.code == .tooManyValues)
        #expect(refusal(of: #"{"a":{}}"#, limits: JSONLimits(size: 99, depth: 2, members: 2)) == nil)
    }

    @Test func `a million open brackets are rejected without recursion`() throws {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(refusal(of: text, limits: JSONLimits(size: 1 << 21, depth: 64, members: 1 << 21))?.code == .tooDeep)
        let closed = text + [UInt8](repeating: UInt8(ascii: "]"), count: 1_000_000)
        let deep = JSONLimits(size: 1 << 21, depth: 1 << 20, members: 1 << 21)
        #expect(try JSONDocument(closed, limits: deep).root.count == 1)
    }

    @Test func `an error has the offset of the byte`() {
        #expect(refusal(of: #"{"a":1,"a":2}"#) == refusal(of: #"{"b":1,"b":2}"#))
        #expect(refusal(of: #"[1, x]"#)?.offset == 4)
        #expect(refusal(of: #"{"a":1,"a":2}"#)?.offset == 8)
        #expect(refusal(of: "[1,")?.description == "unexpectedEnd at byte 3")
    }
}
