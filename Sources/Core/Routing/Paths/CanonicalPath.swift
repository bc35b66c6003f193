import TextCoding

/// The path of a request in canonical form.
///
/// Unreserved escapes are decoded, other escapes have upper-case digits, `.` and `..` are resolved (RFC 3986 section
/// 5.2.4), and then `//` is merged. An ambiguous path is an error; `PathError.Reason` lists them. Most paths are
/// already canonical: one scan verifies that, without a copy.
///
/// Two steps depend on the route, which is known only after the match. These rules ensure that the matched path is
/// always the forwarded path:
///
/// - `merged` is the form in which every path is matched. It is forwarded if the matched route merges slashes.
/// - `unmerged` differs only in keeping empty segments. It is forwarded if the matched route keeps them
///   (`merge_slashes: false`) and both forms match that route. If the forms match different routes, the result is no
///   route: an empty segment can neither bypass a more specific route nor select one.
/// - `%2F` stays in both forms, and a dot segment that it delimits is an error. A route that rejects it responds with
///   400.
///
/// Canonicalization is idempotent for both forms.
package struct CanonicalPath: Hashable, Sendable {
    /// The maximum size of a path, in bytes.
    package static let maximumLength = 65_535

    /// The path without empty segments. A trailing `/` is kept.
    package let merged: PathSlice
    /// The path with its empty segments.
    package let unmerged: PathSlice
    /// Whether the received path contained `%2F`.
    package let hasEncodedSlash: Bool

    /// Whether `unmerged` differs from `merged`.
    package var hasEmptySegments: Bool { merged != unmerged }

    /// Canonicalizes the path of a request target, without its query. Rewritten forms are stored in `scratch`.
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

    /// Returns whether both forms of a path equal the path, which contains neither `%2F` nor `%25`. `false` if that
    /// requires a closer check.
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

    /// Returns whether a segment that begins with the `.` or `/` at `index` is certainly neither empty nor a dot
    /// segment.
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
        // If `..` removed all empty segments, both forms are equal.
        return end - start == path.range.count ? path : PathSlice(isRewritten: true, start..<end)
    }
}
