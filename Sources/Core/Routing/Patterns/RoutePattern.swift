/// A checked path pattern.
///
/// Segments, each after a `/`: a literal; `{name}`, which stands for one segment that is not empty; and as the last one `**` or
/// `{name=**}`, which stands for zero or more. A `/` at the end counts for nothing. Literals must be written as a
/// canonical path has them: the pattern is what the operator reads, so nothing is rewritten silently.
package struct RoutePattern: Sendable {
    /// The longest pattern, in bytes.
    package static let maximumLength = 2048
    /// The most segments a pattern may have.
    package static let maximumSegments = 64

    /// A segment other than the `**` at the end.
    package enum Segment: Hashable, Sendable {
        /// The key (`SegmentKey`) of a literal.
        case literal([UInt8])
        /// A capture of one segment.
        case capture(String)
    }

    /// The `**` at the end.
    package enum Rest: Hashable, Sendable {
        case none
        case unnamed
        case named(String)
    }

    package let segments: [Segment]
    package let rest: Rest

    /// The names that are captured, in order.
    package var captureNames: [String] {
        var names: [String] = []
        for case .capture(let name) in segments { names.append(name) }
        if case .named(let name) = rest { names.append(name) }
        return names
    }

    /// Parses and checks a pattern. The options are those of its route.
    package init(
        _ text: String, encodedSlashes: RouteDefinition.EncodedSlashes = .reject, caseInsensitive: Bool = false
    ) throws(PatternError) {
        var parser = try PatternParser(text, encodedSlashes: encodedSlashes)
        try parser.run()
        segments = parser.segments
        rest = parser.rest
        if case .literal(let first)? = segments.first,
            ReservedPath.isSegment(first, caseInsensitive: caseInsensitive)
        {
            throw PatternError(reason: .reserved, offset: 0)
        }
    }
}

/// The gateway's own paths, `/.gatehouse/`: never matched, never forwarded.
enum ReservedPath {
    private static let name = Array(".gatehouse".utf8)

    /// Whether a literal is the reserved first segment, or would match it.
    static func isSegment(_ literal: [UInt8], caseInsensitive: Bool) -> Bool {
        literal == name || caseInsensitive && literal.map(PathBytes.lowercased) == name
    }

    /// Whether a canonical path is at or under the reserved one. `%2F` ends the segment, too, since a server may decode it.
    @inline(__always)
    static func contains(_ path: UnsafeRawBufferPointer) -> Bool {
        path.count > 10 && path[1] == PathBytes.dot && path[2] == UInt8(ascii: "g") && containsInFull(path)
    }

    private static func containsInFull(_ path: UnsafeRawBufferPointer) -> Bool {
        let end = 1 + name.count
        guard path.count >= end, path[1..<end].elementsEqual(name) else { return false }
        return path.count == end || path[end] == PathBytes.slash
            || path[end] == PathBytes.percent && PathBytes.escape(in: path, at: end) == PathBytes.slash
    }
}

/// What a capture of a pattern stands for in a path.
package struct RouteCapture: Hashable, Sendable {
    /// The capture's name.
    package let name: String
    /// Offsets into the path that matched. Of `{name=**}`, from the first byte after the `/` to the end
    /// without a `/` there; empty when it stands for no segment.
    package let range: Range<Int>
}

extension RouteTable {
    /// What the captures of a route stand for in the path that it matched, in order. The bytes are those of the canonical path:
    /// escapes in it are not decoded. They are found here, when someone asks, and not on each match.
    package func captures(of route: Int, in path: UnsafeRawBufferPointer) -> [RouteCapture] {
        let pattern = routes[route].pattern
        var captures: [RouteCapture] = []
        var start = 1
        for segment in pattern.segments {
            let end = path[min(start, path.count)...].firstIndex(of: PathBytes.slash) ?? path.count
            if case .capture(let name) = segment { captures.append(RouteCapture(name: name, range: start..<end)) }
            start = end + 1
        }
        if case .named(let name) = pattern.rest {
            captures.append(RouteCapture(name: name, range: Self.rest(of: path, from: min(start, path.count))))
        }
        return captures
    }

    private static func rest(of path: UnsafeRawBufferPointer, from start: Int) -> Range<Int> {
        let hasSlash = path.count > start && path[path.count - 1] == PathBytes.slash
        return start..<(hasSlash ? path.count - 1 : path.count)
    }
}
