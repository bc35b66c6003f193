/// One field line of a head: where its parts are, and what it is.
public struct Field: Sendable, Hashable {
    /// The name, as it was spelled.
    public var name: ByteRange
    /// The value without the whitespace around it; it may be empty.
    public var value: ByteRange
    /// The bytes of the whole line, its CRLF among them.
    public var lineLength: UInt32
    /// Which field it is.
    public var kind: FieldKind
    /// Whether a `Connection` field of the same head names this field, so that it is for this connection only.
    public var isNamedByConnection: Bool

    /// The whole line, its CRLF among it.
    @inlinable
    public var line: ByteRange { ByteRange(start: name.start, length: lineLength) }

    /// Whether a gateway must not pass the field on: a hop-by-hop field by its kind or because `Connection` names it.
    @inlinable
    public var isHopByHop: Bool { isNamedByConnection || kind.isHopByHop }
}

/// The field lines of a head or a trailer section, read strictly: RFC 9112 section 5, without what it lets a recipient
/// tolerate. Lines end in CRLF, are never folded, names are tokens directly before their colon, and values hold visible
/// ASCII, SP, HTAB and obs-text.
enum FieldLines {
    /// Reads the lines from `start` up to and with the empty line, adds them to `fields`, at most `limit`, and gives
    /// the offset after the empty line.
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

    /// Checks the lines from `start` up to and with the empty line, at most `limit`, and gives the offset after it.
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

    /// The offset of the CR that ends the line.
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

/// The members of a comma-separated list (RFC 9110 section 5.6.1), without the whitespace around them; empty ones are
/// passed over. For lists of tokens: a comma in a quoted string divides too.
public struct ListMembers: Sequence, IteratorProtocol {
    private let base: UnsafeRawPointer?
    private let end: Int
    private var position = 0

    /// The members of `value`, which must outlive the iteration.
    public init(_ value: UnsafeRawBufferPointer) {
        base = value.baseAddress
        end = value.count
    }

    /// The next member's bytes, at least one.
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
