import JOSE
import Testing

struct JSONValueTests {
    private func value(_ text: String) throws -> JSONValue { try JSONDocument([UInt8](text.utf8)).root }

    @Test func `each value has its kind`() throws {
        let elements = try value(#"[{},[],"s",1,1.0,true,null,1e2,-7]"#).elements.map(\.kind)
        #expect(elements == [.object, .array, .string, .integer, .number, .bool, .null, .number, .integer])
    }

    @Test func `the escapes of a string are resolved`() throws {
        #expect(try value(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00é""#).string == "\"\\/\u{8}\u{C}\n\r\tAé€😀é")
        #expect(try value(#""\u0000x""#).string == "\u{0}x")
        #expect(try value(#""""#).string == "")
        #expect(try value("1").string == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999999", nil), ("1.0", nil),
            ("1e3", nil), (#""1""#, nil), ("true", nil),
        ] as [(String, Int64?)])
    func `an integer is exact or nil`(text: String, expected: Int64?) throws {
        #expect(try value(text).integer == expected)
    }

    @Test func `a double is any finite number`() throws {
        #expect(try value("1.5e3").double == 1500)
        #expect(try value("-2").double == -2)
        #expect(try value("1e999").double == nil)
        #expect(try value(#""1""#).double == nil)
    }

    @Test func `only true and false are Booleans`() throws {
        #expect(try value("true").bool == true)
        #expect(try value("false").bool == false)
        #expect(try value(#""true""#).bool == nil)
        #expect(try value("1").bool == nil)
        #expect(try value("null").bool == nil)
    }

    @Test func `a member is found after nested values`() throws {
        let object = try value(#"{"a":{"b":[1,{"c":2}]},"c":"x","\u0064":4}"#)
        #expect(object["c"]?.string == "x")
        #expect(object["d"]?.integer == 4)
        #expect(object["b"] == nil)
        #expect(object["a"]?["b"]?.count == 2)
        #expect(object["a"]?["b"]?["c"] == nil)
        #expect(object.count == 3)
        #expect(try value("[1]")["a"] == nil)
    }

    @Test func `iteration keeps the order of the text`() throws {
        let object = try value(#"{"z":1,"a":{"q":1,"r":2},"m":[1,[2,3]]}"#)
        #expect(object.members.map(\.name) == ["z", "a", "m"])
        #expect(object["m"]?.elements.map(\.kind) == [.integer, .array])
        #expect(Array(object.elements).isEmpty)
        #expect(try value("[1,2]").members.map(\.name).isEmpty)
        #expect(try value("7").members.map(\.name).isEmpty)
    }

    @Test func `strings are compared by bytes, not by canonical equivalence`() throws {
        let precomposed = try value("\"\u{E9}\"")
        #expect(precomposed.equals("\u{E9}"))
        #expect(precomposed.string == "e\u{301}")
        #expect(!precomposed.equals("e\u{301}"))
        #expect(precomposed.equals([0xC3, 0xA9] as [UInt8]))
        #expect(try value(#""\u00e9""#).equals("\u{E9}"))
        let name: String = "sig"
        #expect(try value(#""sig""#).equals(name))
        #expect(try !value(#""sig""#).equals("si"))
        #expect(try !value(#""sig""#).equals("sign"))
        #expect(try !value("1").equals("1"))
        #expect(try value(#""""#).equals(""))
    }

    @Test func `a value keeps its document alive`() throws {
        var document: JSONDocument? = try JSONDocument([UInt8](#"{"a":"text"}"#.utf8))
        let inner = document?.root["a"]
        document = nil
        #expect(inner?.string == "text")
    }
}
