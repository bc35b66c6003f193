/// A replacement in RE2's rewrite syntax: `\0` is the match, `\1` to `\9` are its groups, `\\` is a backslash, and
/// `$` is literal.
struct RegexReplacement {
    enum Part {
        case text([UInt8])
        case group(Int)
    }

    private(set) var parts: [Part] = []
    /// The highest group number.
    private(set) var groups = 0

    /// Parses a replacement.
    ///
    /// - Parameter count: The number of groups of the pattern.
    init(_ source: String, groups count: Int) throws(RegexProblem) {
        var (literal, position) = ([UInt8](), 0)
        var scalars = source.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            defer { position += 1 }
            guard scalar == "\\" else {
                literal += UTF8.encode(scalar).map(Array.init) ?? []
                continue
            }
            let escaped = scalars.next()
            position += 1
            if escaped == "\\" {
                literal.append(UInt8(ascii: "\\"))
            } else {
                let group = try Self.group(escaped, position - 1, count)
                parts += [.text(literal), .group(group)]
                literal = []
                groups = max(groups, group)
            }
        }
        parts.append(.text(literal))
    }

    private static func group(
        _ digit: Unicode.Scalar?, _ offset: Int, _ count: Int
    ) throws(RegexProblem) -> Int {
        guard let digit, RegexParser.isDigit(digit) else {
            throw RegexProblem(
                offset: offset, what: "a `\\` in a replacement has to be followed by a digit or a `\\`",
                remedy: "write `\\\\` for the character")
        }
        let group = Int(digit.value) - 0x30
        guard group <= count else {
            throw RegexProblem(
                offset: offset, what: "the pattern has no group \(group)",
                remedy: count == 0 ? "add parentheses to the pattern" : "its groups are 1 to \(count)")
        }
        return group
    }
}
