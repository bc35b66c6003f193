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
