extension Mutation {
    /// Changes of the JSON text, which the signature then covers.
    static let texts: [Mutation] =
        jsonEdits.list.flatMap { edit in
            [
                Mutation("header's JSON \(edit.name)") { $0.headerJSON.append(edit.edit) },
                Mutation("payload's JSON \(edit.name)") { $0.payloadJSON.append(edit.edit) },
            ]
        }
        + (nested + arrays + long + digits + literals).map { value in
            Mutation("a claim \(value.prefix(8)) of \(value.utf8.count)") { $0.claims.append("\"extra\"", value) }
        }
        + names.map { name in Mutation("a claim named \(name)") { $0.claims.append(name, "1") } }

    private static let jsonEdits = NamedEdits { edits in
        let texts = [
            " ", "\n", "\r\n", "\t", "\u{FEFF}", "\0", "\u{A0}", "\u{C}", "\u{2028}", "//x\n", "/**/", ",", "]", "}",
            "{", "null", "1", "\"\"",
        ]
        for text in texts {
            edits.addOutside(text)
            edits.addInside(text, at: 1)
        }
        for text in ["{}", "null", "\"x\"", "7", "[]", "[{}]", ""] {
            edits.add("being \(text)") { _ in Array(text.utf8) }
        }
        edits.add("in an array") { [UInt8(ascii: "[")] + $0 + [UInt8(ascii: "]")] }
        edits.add("in single quotes") { text in text.map { $0 == UInt8(ascii: "\"") ? UInt8(ascii: "'") : $0 } }
        edits.add("with a comma at the end") { $0.dropLast() + Array(",}".utf8) }
        edits.add("without its end") { $0.dropLast() }
        edits.add("twice") { $0 + $0 }
        edits.add("in UTF-16") { text in text.flatMap { [$0, 0] } }
        edits.add("in UTF-16 with a mark") { text in [0xFF, 0xFE] + text.flatMap { [$0, 0] } }
        for bytes in badStrings { edits.add("with a string of \(bytes)") { withString(bytes, in: $0) } }
    }

    /// Not UTF-8, overlong, a surrogate, beyond Unicode, cut short; control characters; and allowed ones.
    private static let badStrings: [[UInt8]] = [
        [0xFF], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xB0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80], [0x0A], [0x00], [0x1F], [0x7F], [0xC2, 0x80],
        [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF],
    ]

    @Sendable private static func withString(_ bytes: [UInt8], in object: [UInt8]) -> [UInt8] {
        object.dropLast() + Array(",\"y\":\"".utf8) + bytes + Array("\"}".utf8)
    }

    // Values at the bounds of JSON and of ours.
    private static let nested = [1, 10, 62, 63, 64, 100].map {
        String(repeating: "[", count: $0) + String(repeating: "]", count: $0)
    }
    private static let arrays = [100, 4000, 4081, 4085, 5000].map {
        "[" + Array(repeating: "1", count: $0).joined(separator: ",") + "]"
    }
    private static let long = [11_000, 11_300, 12_000, 20_000].map { "\"\(String(repeating: "x", count: $0))\"" }
    /// Up to the 4300 digits that Python reads. The SDK refuses longer integers, Gatehouse does not.
    private static let digits = [308, 400, 4299, 4300].map { String(repeating: "9", count: $0) }
    private static let literals = [
        "01", "1.", ".5", "+1", "-", "0x10", "1e", "1e+", "1_000", "0e0", "-0", "1E+2", "0.10", "tru", "True", "None",
        "undefined", #""\x41""#, #""\u12""#, #""\u00G0""#, #""\u+123""#, #""\'""#, #""\a""#, #""\U0041""#,
        #""\ud800\u0041""#, #""\ud83d\ude00""#, #""\"#, "[1,]", "[,1]", #"{"a":1,}"#, #"{1:2}"#, #"{"a"}"#,
        #"{"a":1 "b":2}"#, #"{"":1}"#, #"{"":1,"":2}"#,
    ]

    private static let names = [
        #""""#, #""__proto__""#, #""\u0000""#, #""\ud800""#, "\"\u{E9}\"", #""constructor""#, "x", "'x'", "null", "1",
    ]
}
