internal import TextCoding

/// The segments of a request's path, with memory that is reused for the next.
struct PathSegments {
    /// The position of a segment in the path.
    struct Segment {
        var start: Int
        var end: Int
        /// Whether the bytes equal the text: ASCII without escapes.
        var isPlain: Bool
    }

    private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    private var segments: [Segment] = []
    /// Whether the path has more than `RuleLimits.pathSegments`.
    private(set) var isTooLong = false

    init() {
        segments.reserveCapacity(RuleLimits.pathSegments)
    }

    var count: Int { segments.count }

    /// Splits a path. A trailing `/` begins no segment.
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

    /// Drops the path.
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

    /// Returns the bytes of a segment in the path.
    func raw(_ index: Int) -> UnsafeRawBufferPointer {
        let segment = segments[index]
        return UnsafeRawBufferPointer(rebasing: bytes[segment.start..<segment.end])
    }

    /// Returns the bytes of a segment. `nil` if its text has to be decoded.
    func plain(_ index: Int) -> UnsafeRawBufferPointer? {
        segments[index].isPlain ? raw(index) : nil
    }

    /// Returns the decoded text of a segment. `nil` for an invalid escape or invalid UTF-8.
    func text(_ index: Int) -> String? {
        let raw = raw(index)
        return segments[index].isPlain
            ? String(validating: raw, as: UTF8.self) : PercentEncoding.decodedText(raw)
    }
}
