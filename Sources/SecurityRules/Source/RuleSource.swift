/// The text of rules, and what it is called in messages: a file's name, or the place of a configuration that an expression stands in.
public struct RuleSource: Sendable, Hashable {
    /// The most bytes that rules may have: 256 KiB, as Cloud Firestore's.
    public static let maximumSize = 262_144

    /// What messages call it.
    public let name: String
    /// UTF-8, as it was read.
    let bytes: [UInt8]
    /// Where each line begins.
    private let lineStarts: [Int32]

    /// Any bytes; what is wrong with them is told by who reads them as rules.
    public init(_ bytes: [UInt8], name: String) {
        self.name = name
        self.bytes = bytes
        var starts: [Int32] = [0]
        // Places in what is too large are never asked for.
        for (index, byte) in bytes.prefix(Self.maximumSize).enumerated() where byte == UInt8(ascii: "\n") {
            starts.append(Int32(index + 1))
        }
        lineStarts = starts
    }

    /// A text.
    public init(_ text: String, name: String) {
        self.init(Array(text.utf8), name: name)
    }

    /// The line of a byte, 1 the first: at a cost that does not grow with the line's length.
    func line(_ offset: Int32) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// The line and column of a byte.
    func location(_ offset: Int32) -> RuleLocation {
        let line = line(offset)
        let start = Int(lineStarts[line - 1])
        let before = bytes[min(start, bytes.count)..<min(max(Int(offset), start), bytes.count)]
        // A scalar has one byte that continues none.
        let column = before.reduce(1) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
        return RuleLocation(source: name, line: line, column: column)
    }

    /// The text between two places, as it stands there.
    func text(_ range: SourceRange) -> String {
        let end = min(Int(range.end), bytes.count)
        return String(decoding: bytes[min(Int(range.start), end)..<end], as: UTF8.self)
    }
}

/// Bytes of a source, from the first to before the last.
struct SourceRange: Sendable, Hashable {
    var start: Int32
    var end: Int32
}

/// A place in rules.
public struct RuleLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// What the source is called.
    public let source: String
    /// 1-based.
    public let line: Int
    /// 1-based, counted in Unicode scalars.
    public let column: Int

    /// A place.
    public init(source: String, line: Int, column: Int) {
        self.source = source
        self.line = line
        self.column = column
    }

    /// `SOURCE:LINE:COLUMN`.
    public var description: String { "\(source):\(line):\(column)" }

    /// Orders by place.
    public static func < (lhs: RuleLocation, rhs: RuleLocation) -> Bool {
        (lhs.source, lhs.line, lhs.column) < (rhs.source, rhs.line, rhs.column)
    }
}
