/// Functions that find and remove cookies of a `Cookie` field.
public enum Cookies {
    /// Returns whether the cookie has this name. Cookie names are case-sensitive.
    public static func isNamed(_ pair: CookiePair, _ name: [UInt8], in head: UnsafeRawBufferPointer) -> Bool {
        pair.name.count == name.count && pair.name.bytes(in: head).elementsEqual(name)
    }

    /// Returns the value of the first cookie `name` in a `Cookie` field's `value`, and the number of cookies with
    /// that name.
    public static func find(
        _ name: [UInt8], in value: ByteRange, of head: UnsafeRawBufferPointer
    ) -> (first: ByteRange?, count: Int) {
        var found: (first: ByteRange?, count: Int) = (nil, 0)
        for pair in CookiePairs(value, in: head) where isNamed(pair, name, in: head) {
            if found.count == 0 { found.first = pair.value }
            found.count += 1
        }
        return found
    }

    /// Calls `keep`, in order, with the ranges of a `Cookie` field's `value` that remain without the cookies for
    /// which `removes` returns true. One semicolon beside each is removed too. The other bytes do not change.
    ///
    /// Returns the outcome. With `.nothingLeft`, `keep` is not called and the field has to be removed.
    public static func keep(
        _ value: ByteRange, of head: UnsafeRawBufferPointer, removing removes: (CookiePair) -> Bool,
        keep: (ByteRange) -> Void
    ) -> Removal {
        var pass = Pass(value: value)
        for pair in CookiePairs(value, in: head) {
            if removes(pair) { pass.remove() } else { pass.add(pair, keep) }
        }
        return pass.finish(keep)
    }

    /// The outcome of removing cookies.
    public enum Removal: Sendable, Equatable {
        /// No cookie was removed. The only range is the whole value, unless that is empty.
        case untouched
        /// Some cookies were removed.
        case removed
        /// All cookies were removed.
        case nothingLeft
    }
}

/// A pass over the cookies of a value, which joins adjacent cookies that remain.
private struct Pass {
    let value: ByteRange
    var pending = ByteRange.empty
    var kept = false
    var removed = false
    /// Whether a cookie was removed since the last one that remains.
    var gap = false

    mutating func remove() {
        removed = true
        gap = true
    }

    mutating func add(_ pair: CookiePair, _ keep: (ByteRange) -> Void) {
        let end = pair.segment.upperBound
        if !kept {
            pending = ByteRange(removed ? pair.name.lowerBound : value.lowerBound, end)
        } else if gap {
            keep(pending)
            // The range includes the semicolon before it, since the one after the removed cookie is gone.
            pending = ByteRange(pair.segment.lowerBound - 1, end)
        } else {
            pending = ByteRange(pending.lowerBound, end)
        }
        kept = true
        gap = false
    }

    consuming func finish(_ keep: (ByteRange) -> Void) -> Cookies.Removal {
        guard removed else {
            if !value.isEmpty { keep(value) }
            return .untouched
        }
        guard kept else { return .nothingLeft }
        keep(gap ? pending : ByteRange(pending.lowerBound, value.upperBound))
        return .removed
    }
}

/// One cookie of a `Cookie` field. Ranges are relative to the head.
public struct CookiePair: Sendable, Hashable {
    /// The name, without surrounding whitespace.
    public var name: ByteRange
    /// The value, without surrounding whitespace and one pair of double quotes; empty without `=`.
    public var value: ByteRange
    /// All bytes between the surrounding semicolons.
    public var segment: ByteRange
}

/// The cookies of a `Cookie` field's value (RFC 6265 section 4.2.1). Parsing is as lenient as that of services, so
/// that they see no further cookie: whitespace around name and value is permitted, and so is a name without `=`.
public struct CookiePairs: Sequence, IteratorProtocol {
    private let base: UnsafeRawPointer?
    private let end: Int
    private var position: Int

    /// Creates a sequence over `value`, the value of a field of `head`, which must outlive the iteration. Traps if
    /// the range exceeds `head`.
    public init(_ value: ByteRange, in head: UnsafeRawBufferPointer) {
        precondition(value.upperBound <= head.count, "the range belongs to another head")
        base = head.baseAddress
        position = value.lowerBound
        end = value.upperBound
    }

    /// Returns the next cookie. Segments of only whitespace are skipped.
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
