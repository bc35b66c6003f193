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
    /// How many scalars begin before every 256th byte, so that a column costs the same however long its line is.
    private let scalarsBefore: [Int32]

    private static let stride = 256

    /// Any bytes; what is wrong with them is told by who reads them as rules.
    public init(_ bytes: [UInt8], name: String) {
        self.name = name
        self.bytes = bytes
        var starts: [Int32] = [0]
        var scalars: [Int32] = []
        var count: Int32 = 0
        // Places in what is too large are never asked for.
        for (index, byte) in bytes.prefix(Self.maximumSize).enumerated() {
            if index % Self.stride == 0 { scalars.append(count) }
            count += Self.beginsScalar(byte)
            if byte == UInt8(ascii: "\n") { starts.append(Int32(index + 1)) }
        }
        lineStarts = starts
        scalarsBefore = scalars
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
        let start = lineStarts[line - 1]
        let column = Int(scalars(before: max(offset, start)) - scalars(before: start)) + 1
        return RuleLocation(source: name, line: line, column: column)
    }

    /// How many scalars begin before a byte.
    private func scalars(before offset: Int32) -> Int32 {
        guard !scalarsBefore.isEmpty else { return 0 }
        let end = min(Int(offset), bytes.count)
        let block = min(end / Self.stride, scalarsBefore.count - 1)
        return bytes[block * Self.stride..<end].reduce(scalarsBefore[block]) { $0 + Self.beginsScalar($1) }
    }

    /// A scalar has one byte that continues none.
    private static func beginsScalar(_ byte: UInt8) -> Int32 { byte & 0xC0 == 0x80 ? 0 : 1 }

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
