/// The languages that a client prefers (`Accept-Language`, RFC 9110 section 12.5.4).
package struct LanguagePreferences {
    /// The maximum size of the field, in bytes. A longer field has no effect.
    package static let maximumSize = 1_024
    /// The maximum number of ranges. Further ones have no effect.
    package static let maximumRanges = 32

    /// The ranges in lower case, the preferred ones first. Without ranges of quality 0 and invalid ones.
    package let ranges: [String]

    package init(_ field: String?) {
        guard let field, field.utf8.count <= Self.maximumSize else {
            ranges = []
            return
        }
        let weighted = field.utf8.split(separator: UInt8(ascii: ",")).prefix(Self.maximumRanges).enumerated()
            .compactMap { place, element in Self.range(element).map { (place, $0.range, $0.quality) } }
        ranges = weighted.sorted { $0.2 == $1.2 ? $0.0 < $1.0 : $0.2 > $1.2 }.map(\.1)
    }

    /// Returns the first tag that a range selects by lookup (RFC 4647 section 3.4). `nil` if no tag matches, or if the
    /// client accepts any language first.
    ///
    /// - Parameter tags: Tags in lower case.
    package func choice(among tags: [String]) -> Int? {
        for range in ranges {
            if range == "*" { return nil }
            var subtags = range.split(separator: "-")
            while !subtags.isEmpty {
                let prefix = subtags.joined(separator: "-")
                if let index = tags.firstIndex(of: prefix) { return index }
                subtags.removeLast()
                // A single letter introduces an extension, which does not stand alone.
                if let last = subtags.last, last.count == 1 { subtags.removeLast() }
            }
        }
        return nil
    }

    /// Returns a range and its quality in thousandths.
    private static func range(_ element: Substring.UTF8View) -> (range: String, quality: Int)? {
        let parts = element.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmed)
        let range = parts[0]
        guard (1...35).contains(range.utf8.count), range.utf8.allSatisfy(isRangeByte), parts.count <= 2 else {
            return nil
        }
        guard parts.count == 2 else { return (range, 1_000) }
        guard let quality = quality(parts[1]), quality > 0 else { return nil }
        return (range, quality)
    }

    private static func isRangeByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "*")
    }

    /// Returns the weight `q=` in thousandths (RFC 9110 section 12.4.2).
    private static func quality(_ text: String) -> Int? {
        let digits = text.utf8.dropFirst(2)
        guard text.hasPrefix("q="), let first = digits.first, first == 0x30 || first == 0x31, digits.count <= 5 else {
            return nil
        }
        var value = Int(first - 0x30)
        let fraction = digits.dropFirst()
        guard fraction.isEmpty || fraction.first == UInt8(ascii: ".") else { return nil }
        let decimals = Array(fraction.dropFirst())
        for place in 0..<3 {
            value *= 10
            guard place < decimals.count else { continue }
            guard (0x30...0x39).contains(decimals[place]) else { return nil }
            value += Int(decimals[place] - 0x30)
        }
        return value <= 1_000 ? value : nil
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        let start = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        let end = start.reversed().drop { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: end.reversed(), as: UTF8.self).lowercased()
    }
}
