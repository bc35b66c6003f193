import TextCoding

/// A request's path in canonical form.
///
/// Unreserved escapes are decoded, other escapes have upper-case digits, `.` and `..` are resolved as RFC 3986 section 5.2.4
/// tells, and then `//` is merged. A path that cannot be read in one way only is an error; `PathError.Reason` lists them.
/// Most paths are canonical as they come: one scan finds that out, and nothing is copied.
///
/// Two steps depend on the route, which is known only after the match. So that what is matched is always what is forwarded:
///
/// - `merged` is the form that every path is matched in. When the route that it finds merges slashes, it is forwarded.
/// - `unmerged` differs from it only in keeping empty segments. A route that keeps them (`merge_slashes: false`) must be what
///   both forms find; then `unmerged` is forwarded. When the two disagree, no route matches: an empty segment
///   can neither lead around a more specific route nor into one.
/// - `%2F` stays in both forms, and a dot segment that it delimits is an error. A route that rejects it answers 400.
///
/// Canonicalising `merged`, or `unmerged`, again gives the same bytes.
package struct CanonicalPath: Hashable, Sendable {
    /// The longest path that is taken, in bytes.
    package static let maximumLength = 65_535

    /// Without empty segments. A `/` at the end is kept.
    package let merged: PathSlice
    /// With the empty segments of the request.
    package let unmerged: PathSlice
    /// Whether the request's path had `%2F` in it.
    package let hasEncodedSlash: Bool

    /// Whether `unmerged` differs from `merged`.
    package var hasEmptySegments: Bool { merged != unmerged }

    /// Canonicalises the path of a request target, without its query. Rewritten forms go to `scratch`.
    @inline(__always)
    package init(_ path: UnsafeRawBufferPointer, scratch: PathScratch) throws(PathError) {
        if path.count <= Self.maximumLength, Self.isCanonical(path) {
            merged = PathSlice(isRewritten: false, 0..<path.count)
            unmerged = merged
            hasEncodedSlash = false
        } else {
            self = try Self.rewriting(path, scratch: scratch)
        }
    }

    private init(merged: PathSlice, unmerged: PathSlice, hasEncodedSlash: Bool) {
        self.merged = merged
        self.unmerged = unmerged
        self.hasEncodedSlash = hasEncodedSlash
    }

    /// True when both forms of a path are the path itself and it has neither `%2F` nor `%25` in it.
    /// False when that takes a closer look.
    static func isCanonical(_ path: UnsafeRawBufferPointer) -> Bool {
        guard let first = path.first, first == PathBytes.slash else { return false }
        var isSegmentStart = true
        var index = 1
        while index < path.count {
            let byte = path[index]
            let width: Int
            if PathBytes.isPlain(byte) {
                width = 1
            } else if byte == PathBytes.slash || byte == PathBytes.dot {
                guard !isSegmentStart || startsPlainly(path, at: index) else { return false }
                width = 1
            } else {
                guard byte == PathBytes.percent, isCanonicalEscape(path, at: index) else { return false }
                width = 3
            }
            isSegmentStart = byte == PathBytes.slash
            index += width
        }
        return true
    }

    /// Whether a segment that begins with the `.` or `/` at `index` is for certain neither empty nor a dot segment.
    private static func startsPlainly(_ path: UnsafeRawBufferPointer, at index: Int) -> Bool {
        path[index] == PathBytes.dot && index + 1 < path.count && path[index + 1] != PathBytes.semicolon
            && PathBytes.isPlain(path[index + 1])
    }

    private static func isCanonicalEscape(_ path: UnsafeRawBufferPointer, at index: Int) -> Bool {
        guard let value = PathBytes.escape(in: path, at: index), path[index + 1] < 0x60, path[index + 2] < 0x60
        else { return false }
        switch value {
        case 0, PathBytes.slash, PathBytes.percent, UInt8(ascii: "\\"): return false
        default: return !PercentEncoding.isUnreserved(value) && !PathBytes.isOverlong(value, in: path, at: index)
        }
    }

    @inline(never)
    private static func rewriting(
        _ path: UnsafeRawBufferPointer, scratch: PathScratch
    ) throws(PathError) -> CanonicalPath {
        guard path.count <= maximumLength else { throw PathError(reason: .tooLong, offset: maximumLength) }
        scratch.reserveForms(for: path.count)
        var canonicalizer = PathCanonicalizer(
            path, output: UnsafeMutableRawBufferPointer(rebasing: scratch.forms[1...]))
        try canonicalizer.run()
        let unmerged = PathSlice(isRewritten: true, 1..<(1 + canonicalizer.written))
        let merged = canonicalizer.hasEmptySegments ? merging(unmerged, in: scratch.forms) : unmerged
        return CanonicalPath(
            merged: merged, unmerged: unmerged, hasEncodedSlash: canonicalizer.hasEncodedSlash)
    }

    /// Writes the path without its empty segments directly behind it.
    private static func merging(_ path: PathSlice, in buffer: UnsafeMutableRawBufferPointer) -> PathSlice {
        let start = path.range.upperBound
        var end = start
        for index in path.range {
            let byte = buffer[index]
            if byte == PathBytes.slash, end > start, buffer[end - 1] == PathBytes.slash { continue }
            buffer[end] = byte
            end += 1
        }
        // Empty segments that `..` took away again leave one form.
        return end - start == path.range.count ? path : PathSlice(isRewritten: true, start..<end)
    }
}
