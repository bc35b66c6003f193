/// One field line of a head: its ranges and its kind.
public struct Field: Sendable, Hashable {
    /// The name in its original case.
    public var name: ByteRange
    /// The value without surrounding whitespace; it may be empty.
    public var value: ByteRange
    /// The size of the whole line, including its CRLF.
    public var lineLength: UInt32
    /// The kind of the field.
    public var kind: FieldKind
    /// Whether a `Connection` field of the same head names this field, which makes it hop-by-hop.
    public var isNamedByConnection: Bool

    /// The whole line, including its CRLF.
    @inlinable
    public var line: ByteRange { ByteRange(start: name.start, length: lineLength) }

    /// Whether a gateway must not forward the field: it is hop-by-hop by its kind or because `Connection` names it.
    @inlinable
    public var isHopByHop: Bool { isNamedByConnection || kind.isHopByHop }
}

/// A strict parser of the field lines of a head or a trailer section: RFC 9112 section 5 without its tolerances.
/// Lines end in CRLF and are never folded. Names are tokens directly before the colon. Values contain visible ASCII,
/// SP, HTAB and obs-text.
enum FieldLines {
    /// Parses the lines from `start` through the empty line, adds at most `limit` lines to `fields`, and returns the
    /// offset after the empty line.
    static func parse(
        _ input: HeadInput, from start: Int, into fields: FieldTable, limit: Int
    ) throws(HeadError) -> Int {
        let limit = min(limit, fields.capacity)
        var position = start
        while !input.isLineEnd(position) {
            guard fields.count < limit else { throw .tooManyFields }
            fields.append(try line(input, &position))
        }
        return position &+ 2
    }

    /// Checks at most `limit` lines from `start` through the empty line, and returns the offset after it.
    static func validate(_ input: HeadInput, from start: Int, limit: Int) throws(HeadError) -> Int {
        var position = start
        var count = 0
        while !input.isLineEnd(position) {
            guard count < limit else { throw .tooManyFields }
            _ = try line(input, &position)
            count &+= 1
        }
        return position &+ 2
    }

    @inline(__always)
    private static func line(_ input: HeadInput, _ position: inout Int) throws(HeadError) -> Field {
        let start = position
        let colon = endOfName(input, start)
        guard colon < input.count, colon > start, input.base.byte(colon) == 0x3A else {
            throw nameError(input, from: start, to: colon)
        }
        let end = try endOfValue(input, colon &+ 1)
        position = end &+ 2
        return Field(
            name: ByteRange(start, colon), value: trimmed(input.base, colon &+ 1, end),
            lineLength: UInt32(truncatingIfNeeded: position &- start),
            kind: FieldNameClassifier.kind(ofToken: input.base + start, count: colon &- start),
            isNamedByConnection: false)
    }

    @inline(__always)
    private static func endOfName(_ input: HeadInput, _ start: Int) -> Int {
        var position = start
        while position < input.count, ByteClass.isToken(input.base.byte(position)) { position &+= 1 }
        return position
    }

    /// Returns the offset of the CR that ends the line.
    @inline(__always)
    private static func endOfValue(_ input: HeadInput, _ start: Int) throws(HeadError) -> Int {
        var position = ByteScan.firstControl(input.base, from: start, to: input.count)
        while position < input.count, input.base.byte(position) == 0x09 {
            position = ByteScan.firstControl(input.base, from: position &+ 1, to: input.count)
        }
        guard input.isLineEnd(position) else { throw valueError(input, at: position) }
        return position
    }

    @inline(__always)
    private static func trimmed(_ base: UnsafeRawPointer, _ from: Int, _ to: Int) -> ByteRange {
        var start = from
        var end = to
        while start < end, ByteClass.isWhitespace(base.byte(start)) { start &+= 1 }
        while end > start, ByteClass.isWhitespace(base.byte(end &- 1)) { end &-= 1 }
        return ByteRange(start, end)
    }

    @inline(never)
    private static func nameError(_ input: HeadInput, from start: Int, to position: Int) -> HeadError {
        guard position < input.count else { return .malformed(reason: "head ends within a field line") }
        let byte = input.base.byte(position)
        switch (byte, position == start) {
        case (0x3A, true): return .malformed(reason: "empty field name")
        case (0x20, true), (0x09, true): return .malformed(reason: "folded field line")
        case (0x20, false), (0x09, false): return .malformed(reason: "whitespace in or after a field name")
        case (0x0A, _), (0x0D, _): return .malformed(reason: "field line without a colon")
        default: return .malformed(reason: "invalid byte in a field name")
        }
    }

    @inline(never)
    private static func valueError(_ input: HeadInput, at position: Int) -> HeadError {
        guard position < input.count else { return .malformed(reason: "head ends within a field line") }
        switch input.base.byte(position) {
        case 0x0A: return .malformed(reason: "bare LF")
        case 0x0D: return .malformed(reason: "bare CR")
        default: return .malformed(reason: "control byte in a field value")
        }
    }
}

/// The members of a comma-separated list (RFC 9110 section 5.6.1), without surrounding whitespace and empty members.
/// Only for lists of tokens, since a comma in a quoted string separates too.
public struct ListMembers: Sequence, IteratorProtocol {
    private let base: UnsafeRawPointer?
    private let end: Int
    private var position = 0

    /// Creates a sequence over `value`, which must outlive the iteration.
    public init(_ value: UnsafeRawBufferPointer) {
        base = value.baseAddress
        end = value.count
    }

    /// Returns the next member, which is not empty.
    public mutating func next() -> UnsafeRawBufferPointer? {
        guard let base else { return nil }
        while position < end {
            var start = position
            while position < end, base.byte(position) != 0x2C { position &+= 1 }
            var stop = position
            position &+= 1
            while start < stop, ByteClass.isWhitespace(base.byte(start)) { start &+= 1 }
            while stop > start, ByteClass.isWhitespace(base.byte(stop &- 1)) { stop &-= 1 }
            if start < stop { return UnsafeRawBufferPointer(start: base + start, count: stop &- start) }
        }
        return nil
    }
}
