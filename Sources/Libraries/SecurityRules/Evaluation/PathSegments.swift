internal import TextCoding

/// A request's path, split once; the memory is kept for the next.
struct PathSegments {
    /// Where a segment stands in the path.
    struct Segment {
        var start: Int
        var end: Int
        /// Whether its bytes are the text that it stands for: ASCII without escapes.
        var isPlain: Bool
    }

    private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    private var segments: [Segment] = []
    /// Whether it has more than `RuleLimits.pathSegments`.
    private(set) var isTooLong = false

    init() {
        segments.reserveCapacity(RuleLimits.pathSegments)
    }

    var count: Int { segments.count }

    /// Splits a path; a `/` at its end begins no segment.
    mutating func split(_ path: UnsafeRawBufferPointer) {
        bytes = path
        segments.removeAll(keepingCapacity: true)
        isTooLong = false
        var start = path.first == UInt8(ascii: "/") ? 1 : 0
        var isPlain = true
        for index in start..<path.count {
            let byte = path[index]
            if byte == UInt8(ascii: "/") {
                append(Segment(start: start, end: index, isPlain: isPlain))
                start = index + 1
                isPlain = true
            } else if byte == UInt8(ascii: "%") || byte >= 0x80 {
                isPlain = false
            }
        }
        if start < path.count { append(Segment(start: start, end: path.count, isPlain: isPlain)) }
    }

    /// Lets go of the path.
    mutating func clear() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        segments.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ segment: Segment) {
        guard segments.count < RuleLimits.pathSegments else {
            isTooLong = true
            return
        }
        segments.append(segment)
    }

    func isEmpty(_ index: Int) -> Bool { segments[index].start == segments[index].end }

    /// The bytes of a segment as they stand in the path.
    func raw(_ index: Int) -> UnsafeRawBufferPointer {
        let segment = segments[index]
        return UnsafeRawBufferPointer(rebasing: bytes[segment.start..<segment.end])
    }

    /// The bytes of a segment that are its text; nil: it has to be decoded first.
    func plain(_ index: Int) -> UnsafeRawBufferPointer? {
        segments[index].isPlain ? raw(index) : nil
    }

    /// The text of a segment, escapes decoded once; nil: it has an invalid escape or is not UTF-8.
    func text(_ index: Int) -> String? {
        let raw = raw(index)
        return segments[index].isPlain
            ? String(validating: raw, as: UTF8.self) : PercentEncoding.decodedText(raw)
    }
}
