/// One cookie of a `Cookie` field. Ranges are of the head's bytes.
public struct CookiePair: Sendable, Hashable {
    /// The name, without the whitespace around it.
    public var name: ByteRange
    /// The value, without the whitespace around it nor one pair of double quotes; empty without a `=`.
    public var value: ByteRange
    /// All between the semicolons around it.
    public var segment: ByteRange
}

/// The cookies of a `Cookie` field's value (RFC 6265 section 4.2.1), read as leniently as services read them, so that
/// none is seen there that was not seen here: whitespace anywhere around name and value, a name without `=`.
public struct CookiePairs: Sequence, IteratorProtocol {
    private let base: UnsafeRawPointer?
    private let end: Int
    private var position: Int

    /// The cookies of `value`, the value of a field of `head`, which must outlive the iteration. Traps when the range
    /// lies outside `head`.
    public init(_ value: ByteRange, in head: UnsafeRawBufferPointer) {
        precondition(value.upperBound <= head.count, "a range of another head")
        base = head.baseAddress
        position = value.lowerBound
        end = value.upperBound
    }

    /// The next cookie; segments of whitespace alone are passed over.
    public mutating func next() -> CookiePair? {
        guard let base else { return nil }
        while position < end {
            let start = position
            let stop = ByteScan.first(0x3B, base, from: start, to: end)
            position = stop &+ 1
            if let pair = CookiePair(base, start, stop) { return pair }
        }
        return nil
    }
}

extension CookiePair {
    @inline(__always)
    fileprivate init?(_ base: UnsafeRawPointer, _ start: Int, _ stop: Int) {
        let whole = CookiePair.trimmed(base, start, stop)
        guard !whole.isEmpty else { return nil }
        let equals = ByteScan.first(0x3D, base, from: whole.lowerBound, to: whole.upperBound)
        name = CookiePair.trimmed(base, whole.lowerBound, equals)
        value = CookiePair.trimmed(base, Swift.min(equals &+ 1, whole.upperBound), whole.upperBound)
        segment = ByteRange(start, stop)
        unquote(base)
    }

    private mutating func unquote(_ base: UnsafeRawPointer) {
        guard value.count >= 2, base.byte(value.lowerBound) == 0x22, base.byte(value.upperBound &- 1) == 0x22 else {
            return
        }
        value = ByteRange(value.lowerBound &+ 1, value.upperBound &- 1)
    }

    @inline(__always)
    private static func trimmed(_ base: UnsafeRawPointer, _ from: Int, _ to: Int) -> ByteRange {
        var start = from
        var end = to
        while start < end, ByteClass.isWhitespace(base.byte(start)) { start &+= 1 }
        while end > start, ByteClass.isWhitespace(base.byte(end &- 1)) { end &-= 1 }
        return ByteRange(start, end)
    }
}
