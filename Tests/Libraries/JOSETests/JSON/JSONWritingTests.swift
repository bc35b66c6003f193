import JOSE
import Testing

@Suite("writing JSON")
struct JSONWritingTests {
    private func compact(_ text: String) throws -> String {
        String(decoding: try JSONDocument([UInt8](text.utf8)).root.compact, as: UTF8.self)
    }

    @Test(
        "compact text has no whitespace outside strings, and strings as they were",
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#), (#" { "a b" : [ 1 , "\u0041 \" , x" ] } "#, #"{"a b":[1,"\u0041 \" , x"]}"#),
            (#""a""#, #""a""#), (" 1.50 ", "1.50"), ("[ ]", "[]"),
            (#"{ "k" : "\\" , "l" : " " }"#, #"{"k":"\\","l":" "}"#),
        ])
    func compactText(text: String, expected: String) throws {
        #expect(try compact(text) == expected)
    }

    @Test("a part of a document can be written")
    func part() throws {
        let root = try JSONDocument([UInt8](#"{"a": {"b" : [1, "x y"]}, "c":"s t"}"#.utf8)).root
        var output = [UInt8](">".utf8)
        root["a"]?.appendCompact(to: &output)
        root["c"]?.appendCompact(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == #">{"b":[1,"x y"]}"s t""#)
    }

    @Test("a string literal reads back as the string")
    func literals() throws {
        for string in ["", "plain", "\"\\/", "\u{0}\u{1}\u{8}\t\n\u{C}\r\u{1F}\u{7F}", "é€😀", "a\u{2028}b"] {
            var output: [UInt8] = []
            JSONWriter.appendString(string, to: &output)
            #expect(try JSONDocument(output).root.equals([UInt8](string.utf8)))
        }
    }

    @Test("control characters are escaped as RFC 8259 spells them")
    func escapes() {
        var output: [UInt8] = []
        JSONWriter.appendString("\"\\\u{8}\t\n\u{C}\r\u{1}\u{1F}/", to: &output)
        #expect(String(decoding: output, as: UTF8.self) == #""\"\\\b\t\n\f\r\u0001\u001f/""#)
    }

    @Test("bytes that are not UTF-8 become the replacement character")
    func repaired() throws {
        var output: [UInt8] = []
        JSONWriter.appendString(utf8: [0x61, 0xFF, 0x62], to: &output)
        #expect(try JSONDocument(output).root.string == "a\u{FFFD}b")
    }

    @Test("members get commas between them")
    func members() {
        var output = [UInt8]("{".utf8)
        JSONWriter.appendName("a", to: &output)
        JSONWriter.appendInteger(-5, to: &output)
        JSONWriter.appendName("b", to: &output)
        JSONWriter.appendString("x", to: &output)
        #expect(String(decoding: output, as: UTF8.self) == #"{"a":-5,"b":"x""#)
    }
}
