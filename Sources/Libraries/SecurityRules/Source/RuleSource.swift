/// The text of rules with its name in messages: a file, or the location of an expression in a configuration.
public struct RuleSource: Sendable, Hashable {
    /// The maximum size of rules: 256 KiB, as in Cloud Firestore.
    public static let maximumSize = 262_144

    /// The name in messages.
    public let name: String
    /// The text, which should be UTF-8.
    let bytes: [UInt8]
    /// The start of each line.
    private let lineStarts: [Int32]
    /// The number of scalars before every 256th byte, so that finding a column takes constant time on long lines.
    private let scalarsBefore: [Int32]

    private static let stride = 256

    /// Creates a source of any bytes. The parser reports invalid ones.
    public init(_ bytes: [UInt8], name: String) {
        self.name = name
        self.bytes = bytes
        var starts: [Int32] = [0]
        var scalars: [Int32] = []
        var count: Int32 = 0
        // Locations beyond the maximum size are never needed.
        for (index, byte) in bytes.prefix(Self.maximumSize).enumerated() {
            if index % Self.stride == 0 { scalars.append(count) }
            count += Self.beginsScalar(byte)
            if byte == UInt8(ascii: "\n") { starts.append(Int32(index + 1)) }
        }
        lineStarts = starts
        scalarsBefore = scalars
    }

    /// Creates a source from a text.
    public init(_ text: String, name: String) {
        self.init(Array(text.utf8), name: name)
    }

    /// The text. Bytes that are not UTF-8 are replaced.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the line of a byte, from 1, in logarithmic time.
    func line(_ offset: Int32) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// Returns the line and column of a byte.
    func location(_ offset: Int32) -> RuleLocation {
        let line = line(offset)
        let start = lineStarts[line - 1]
        let column = Int(scalars(before: max(offset, start)) - scalars(before: start)) + 1
        return RuleLocation(source: name, line: line, column: column)
    }

    /// Returns the number of scalars that begin before a byte.
    private func scalars(before offset: Int32) -> Int32 {
        guard !scalarsBefore.isEmpty else { return 0 }
        let end = min(Int(offset), bytes.count)
        let block = min(end / Self.stride, scalarsBefore.count - 1)
        return bytes[block * Self.stride..<end].reduce(scalarsBefore[block]) { $0 + Self.beginsScalar($1) }
    }

    /// Each scalar has one byte that is not a continuation byte.
    private static func beginsScalar(_ byte: UInt8) -> Int32 { byte & 0xC0 == 0x80 ? 0 : 1 }

    /// Returns the text of a range.
    func text(_ range: SourceRange) -> String {
        let end = min(Int(range.end), bytes.count)
        return String(decoding: bytes[min(Int(range.start), end)..<end], as: UTF8.self)
    }
}

/// A range of bytes in a source, excluding `end`.
struct SourceRange: Sendable, Hashable {
    var start: Int32
    var end: Int32
}

/// A location in rules.
public struct RuleLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name of the source.
    public let source: String
    /// The line, from 1.
    public let line: Int
    /// The column in Unicode scalars, from 1.
    public let column: Int

    /// Creates a location.
    public init(source: String, line: Int, column: Int) {
        self.source = source
        self.line = line
        self.column = column
    }

    /// `SOURCE:LINE:COLUMN`.
    public var description: String { "\(source):\(line):\(column)" }

    /// Orders locations by position.
    public static func < (lhs: RuleLocation, rhs: RuleLocation) -> Bool {
        (lhs.source, lhs.line, lhs.column) < (rhs.source, rhs.line, rhs.column)
    }
}
