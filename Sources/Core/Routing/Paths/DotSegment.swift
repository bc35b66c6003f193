/// The kind of a path segment for the resolution of `.` and `..`.
enum DotSegment {
    /// An ordinary segment.
    case none
    /// `.`
    case current
    /// `..`
    case parent
    /// `.` or `..` directly followed by `;` or `%3B`. Some servers remove the parameter and then resolve the dots.
    case parameter

    /// Classifies a segment whose unreserved escapes are decoded.
    init(_ segment: UnsafeRawBufferPointer) {
        guard let first = segment.first, first == PathBytes.dot else {
            self = .none
            return
        }
        let dots = segment.count > 1 && segment[1] == PathBytes.dot ? 2 : 1
        if segment.count == dots {
            self = dots == 1 ? .current : .parent
        } else {
            self = Self.isParameter(segment, at: dots) ? .parameter : .none
        }
    }

    private static func isParameter(_ segment: UnsafeRawBufferPointer, at index: Int) -> Bool {
        segment[index] == PathBytes.semicolon
            || segment[index] == PathBytes.percent && PathBytes.escape(in: segment, at: index) == PathBytes.semicolon
    }

    /// Returns whether a path contains a dot segment, with both `/` and `%2F` as delimiters.
    static func occurs(in path: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        var index = 0
        while index < path.count {
            let width = delimiterWidth(path, at: index)
            if width > 0 {
                if isDots(path, start, index) { return true }
                start = index + width
            }
            index += max(width, 1)
        }
        return isDots(path, start, path.count)
    }

    private static func isDots(_ path: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        start < end && path[start] == PathBytes.dot
            && DotSegment(UnsafeRawBufferPointer(rebasing: path[start..<end])) != .none
    }

    private static func delimiterWidth(_ path: UnsafeRawBufferPointer, at index: Int) -> Int {
        if path[index] == PathBytes.slash { return 1 }
        guard path[index] == PathBytes.percent else { return 0 }
        return PathBytes.escape(in: path, at: index) == PathBytes.slash ? 3 : 0
    }
}
