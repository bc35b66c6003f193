/// Finding and leaving out one cookie among others.
public enum Cookies {
    /// Whether the cookie is named `name`; cookie names are case-sensitive.
    public static func isNamed(_ pair: CookiePair, _ name: [UInt8], in head: UnsafeRawBufferPointer) -> Bool {
        pair.name.count == name.count && pair.name.bytes(in: head).elementsEqual(name)
    }

    /// The value of the first cookie named `name` in a `Cookie` field's `value`, and how many have that name.
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

    /// Tells `keep`, in order, the runs of a `Cookie` field's `value` that are left when every cookie for which
    /// `removes` is true is taken out, each with one semicolon beside it; the bytes of the others stay as they are.
    ///
    /// Gives what became of the value: with `.nothingLeft` the whole field is to go, and no run was told.
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

    /// What became of a `Cookie` field's value.
    public enum Removal: Sendable, Equatable {
        /// No cookie was removed: the one run told is the whole value, unless it is empty.
        case untouched
        /// Some cookies were removed; the runs told are the others.
        case removed
        /// All cookies were removed.
        case nothingLeft
    }
}

/// One way through the cookies of a value: gathers neighbours that stay into runs.
private struct Pass {
    let value: ByteRange
    var pending = ByteRange.empty
    var kept = false
    var removed = false
    /// Whether a cookie was removed since the last one that stays.
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
            // The semicolon before it goes with it; the one after what was removed is gone.
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
