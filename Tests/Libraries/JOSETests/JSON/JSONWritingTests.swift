import JOSE
import Testing

struct JSONWritingTests {
    private func written(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
        var output: [UInt8] = []
        write(&output)
        return output
    }

    private func compact(_ text: String) throws -> String {
        String(decoding: try JSONDocument([UInt8](text.utf8)).root.compact, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1}"#), (#" { "a b" : [ 1 , "\u0041 \" , x" ] } "#, #"{"a b":[1,"\u0041 \" , x"]}"#),
        (#""a""#, #""a""#), (" 1.50 ", "1.50"), ("[ ]", "[]"), (#"{ "k" : "\\" , "l" : " " }"#, #"{"k":"\\","l":" "}"#),
    ])
    func `compact text loses only the whitespace between tokens`(text: String, expected: String) throws {
        #expect(try compact(text) == expected)
    }

    @Test func `a part of a document can be written`() throws {
        let root = try JSONDocument([UInt8](#"{"a": {"b" : [1, "x y"]}, "c":"s t"}"#.utf8)).root
        let parts = written {
            $0.append(UInt8(ascii: ">"))
            root["a"]?.appendCompact(to: &$0)
            root["c"]?.appendCompact(to: &$0)
        }
        #expect(parts == [UInt8](#">{"b":[1,"x y"]}"s t""#.utf8))
    }

    @Test(arguments: ["", "plain", "\"\\/", "\u{0}\u{1}\u{8}\t\n\u{C}\r\u{1F}\u{7F}", "é€😀", "a\u{2028}b"])
    func `a string literal round-trips`(string: String) throws {
        let literal = written { JSONWriter.appendString(string, to: &$0) }
        #expect(try JSONDocument(literal).root.equals([UInt8](string.utf8)))
    }

    @Test func `control characters have the escapes of RFC 8259`() {
        let literal = written { JSONWriter.appendString("\"\\\u{8}\t\n\u{C}\r\u{1}\u{1F}/", to: &$0) }
        #expect(literal == [UInt8](#""\"\\\b\t\n\f\r\u0001\u001f/""#.utf8))
    }

    @Test func `bytes that are not UTF-8 become the replacement character`() throws {
        let literal = written { JSONWriter.appendString(utf8: [0x61, 0xFF, 0x62], to: &$0) }
        #expect(try JSONDocument(literal).root.string == "a\u{FFFD}b")
    }

    @Test func `members are separated by commas`() {
        let members = written {
            $0.append(UInt8(ascii: "{"))
            JSONWriter.appendName("a", to: &$0)
            JSONWriter.appendInteger(-5, to: &$0)
            JSONWriter.appendName("b", to: &$0)
            JSONWriter.appendString("x", to: &$0)
        }
        #expect(members == [UInt8](#"{"a":-5,"b":"x""#.utf8))
    }
}
