extension Mutation {
    /// Changes of the encoded text, after the signature was made and before.
    static let structures: [Mutation] =
        partEdits.list.flatMap { edit in
            [
                Mutation("signature's text \(edit.name)") { $0.encodedSignature.append(edit.edit) },
                Mutation("header's text \(edit.name)") { $0.encodedHeader.append(edit.edit) },
                Mutation("payload's text \(edit.name)") { $0.encodedPayload.append(edit.edit) },
            ]
        } + tokenEdits.list.map { edit in Mutation("token \(edit.name)") { $0.token.append(edit.edit) } }

    private static let partEdits = NamedEdits { edits in
        let texts = [
            "=", "==", "===", "\n", " ", "\t", "\r\n", "+", "/", "A", "AA", "AAA", "AAAA", "*", "\u{E9}", "\0", "%3D",
        ]
        for text in texts {
            edits.addOutside(text)
            edits.addInside(text, at: 13)
        }
        edits.add("empty") { _ in [] }
        edits.add("padded") { text in text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4) }
        edits.add("in the standard alphabet", standardAlphabet)
        edits.add("with stray bits", strayBits)
        edits.add("without its last character") { $0.dropLast() }
        edits.add("without its first character") { Array($0.dropFirst()) }
        edits.add("in lower case") { Array(String(decoding: $0, as: UTF8.self).lowercased().utf8) }
    }

    @Sendable private static func standardAlphabet(_ text: [UInt8]) -> [UInt8] {
        text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
    }

    /// Sets the lowest bit of the last character, which belongs to no byte unless the length is a multiple of four.
    @Sendable private static func strayBits(_ text: [UInt8]) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        guard let last = text.last, let value = alphabet.firstIndex(of: last) else { return text }
        return text.dropLast() + [alphabet[value | 1]]
    }

    private static let tokenEdits = NamedEdits { edits in
        for text in ["\n", " ", "\r\n", "\t", ".", "..", ".e30", "=", "\0", "\"", ",", ";"] { edits.addOutside(text) }
        edits.add("empty") { _ in [] }
        edits.add("twice") { $0 + $0 }
        edits.add("twice with a dot") { $0 + [UInt8(ascii: ".")] + $0 }
        edits.add("twice with a comma") { $0 + Array(", ".utf8) + $0 }
        edits.add("after Bearer") { Array("Bearer ".utf8) + $0 }
        edits.add("with colons") { token in token.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: ":") : $0 } }
        edits.add("with an empty signature") { parts($0, [0, 1]) + [UInt8(ascii: ".")] }
        edits.add("cut in half") { Array($0.prefix($0.count / 2)) }
        for order in [
            [0, 1], [1, 2], [0, 2], [1, 0, 2], [0, 1, 2, 1, 2], [0, 0, 2], [0, 2, 1], [0, 1, 1], [2, 1, 0],
        ] {
            edits.add("of its parts \(order)") { parts($0, order) }
        }
        for text in [".", "..", "foo", "foo.bar.baz", "fo.ob.ar.baz", "e30.e30.", "e30.e30.AA"] {
            edits.add("being \(text)") { _ in Array(text.utf8) }
        }
    }

    @Sendable private static func parts(_ token: [UInt8], _ order: [Int]) -> [UInt8] {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return Array(order.filter(parts.indices.contains).map { parts[$0] }.joined(separator: [UInt8(ascii: ".")]))
    }
}
