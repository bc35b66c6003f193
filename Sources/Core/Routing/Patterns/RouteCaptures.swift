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
