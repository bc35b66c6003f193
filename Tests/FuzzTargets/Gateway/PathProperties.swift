internal import WireFuzzTargets

/// The properties of every canonical path, checked by splitting and decoding it.
struct PathProperties {
    let path: [UInt8]

    init(_ path: some Sequence<UInt8>) {
        self.path = Array(path)
    }

    func check() {
        require(path.first == UInt8(ascii: "/"), "a canonical path begins with a slash")
        require(!path.contains(UInt8(ascii: "\\")), "a canonical path has no backslash")
        checkEscapes()
        for segment in segments { require(!Self.isDots(segment), "a canonical path has no dot segment") }
        checkDecoded()
    }

    var hasEmptySegments: Bool { segments.dropLast().contains { $0.isEmpty } }

    var hasEncodedSlash: Bool { escapes.contains { $0.value == UInt8(ascii: "/") } }

    /// The path without its empty segments; a slash at the end stays.
    var merged: [UInt8] {
        path.indices.filter { $0 == 0 || path[$0] != slash || path[$0 - 1] != slash }.map { path[$0] }
    }

    private var slash: UInt8 { UInt8(ascii: "/") }

    private var segments: [ArraySlice<UInt8>] {
        path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
    }

    /// Each `%` of the path with its byte; `nil` if it is not an escape.
    private var escapes: [(index: Int, value: UInt8?)] {
        path.indices.filter { path[$0] == UInt8(ascii: "%") }.map { ($0, Self.escape(path[$0...])) }
    }

    /// An escape is in upper case, and its byte must be escaped.
    private func checkEscapes() {
        for (index, value) in escapes {
            guard let value else { return require(false, "each % begins an escape") }
            require(path[index + 1...index + 2].allSatisfy { $0 < 0x60 }, "escapes are in upper case")
            require(value != 0 && value != UInt8(ascii: "\\"), "NUL and backslash are not escaped either")
            require(!Self.isUnreserved(value), "what is unreserved is not escaped")
        }
    }

    /// Repeated decoding gives no dot segment, NUL or backslash, even for a reader of parameters after `;`.
    private func checkDecoded() {
        var text = path
        for round in 1...3 {
            text = Self.decoded(text)
            require(!text.contains(0) || round > 2, "decoding twice gives no NUL")
            require(!text.contains(UInt8(ascii: "\\")) || round > 2, "decoding twice gives no backslash")
            for segment in text.split(separator: slash) where round <= 2 {
                let bare = segment.prefix { $0 != UInt8(ascii: ";") }
                require(!Self.isDots(bare), "decoding twice gives no dot segment")
            }
        }
    }

    static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
    }

    static func decoded(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < text.count {
            let value = text[index] == UInt8(ascii: "%") ? escape(text[index...]) : nil
            result.append(value ?? text[index])
            index += value == nil ? 1 : 3
        }
        return result
    }

    private static func escape(_ text: ArraySlice<UInt8>) -> UInt8? {
        let digits = text.dropFirst().prefix(2)
        guard digits.count == 2, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else {
            return nil
        }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
