/// A validated path pattern.
///
/// Each segment follows a `/`. It is a literal, or `{name}` for one segment that is not empty. The last one can be
/// `**` or `{name=**}` for zero or more segments. A trailing `/` is ignored. Literals must be in canonical form: a
/// pattern is not rewritten silently, since operators read it as written.
package struct RoutePattern: Sendable {
    /// The maximum size of a pattern, in bytes.
    package static let maximumLength = 2048
    /// The maximum number of segments of a pattern.
    package static let maximumSegments = 64

    /// A segment other than a final `**`.
    package enum Segment: Hashable, Sendable {
        /// The key (`SegmentKey`) of a literal.
        case literal([UInt8])
        /// A capture of one segment.
        case capture(String)
    }

    /// The final `**`.
    package enum Rest: Hashable, Sendable {
        case none
        case unnamed
        case named(String)
    }

    package let segments: [Segment]
    package let rest: Rest

    /// The names of the captures in order.
    package var captureNames: [String] {
        var names: [String] = []
        for case .capture(let name) in segments { names.append(name) }
        if case .named(let name) = rest { names.append(name) }
        return names
    }

    /// Parses and checks a pattern with the options of its route.
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

/// The reserved paths of the gateway, `/.gatehouse/`. They are never matched and never forwarded.
enum ReservedPath {
    private static let name = Array(".gatehouse".utf8)

    /// Returns whether a literal equals or matches the reserved first segment.
    static func isSegment(_ literal: [UInt8], caseInsensitive: Bool) -> Bool {
        literal == name || caseInsensitive && literal.map(PathBytes.lowercased) == name
    }

    /// Returns whether a canonical path is at or below the reserved one. `%2F` also ends the segment, since a server
    /// may decode it.
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

/// The part of a path that a capture matched.
package struct RouteCapture: Hashable, Sendable {
    /// The capture's name.
    package let name: String
    /// Offsets in the matched path. For `{name=**}`, from the first byte after the `/` to the end without a trailing
    /// `/`; empty if it matched no segment.
    package let range: Range<Int>
}

extension RouteTable {
    /// Returns the captures of a route in a path that it matched, in order. Escapes are not decoded. The captures are
    /// computed on demand instead of during each match.
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
