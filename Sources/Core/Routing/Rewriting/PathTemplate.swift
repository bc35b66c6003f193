/// The path that a route's requests have at the upstream: literals, and captures of the route's pattern.
///
/// What is written is looked at again: a path that would be read in more than one way, or would be another one once a server resolves
/// it, is an error, though each of its parts came out of a canonical path. `/files/.{name}` makes `..` of `/files/.`.
package struct PathTemplate: Sendable {
    /// The longest template, in bytes.
    package static let maximumLength = 2_048
    /// The most captures in it.
    static let maximumCaptures = 32

    enum Piece: Sendable, Hashable {
        case literal([UInt8])
        /// The segment of the path that a `{name}` stands for, by its place.
        case segment(Int)
        /// The segments from this place on; a whole segment of the template.
        case rest(from: Int)
    }

    let pieces: [Piece]

    /// Parses a template whose captures are those of `pattern`.
    package init(_ text: String, pattern: RoutePattern) throws(PathTemplateError) {
        var parser = PathTemplateParser(text, pattern: pattern)
        pieces = try parser.run()
    }

    /// Writes the path of a request.
    ///
    /// - Parameters:
    ///   - path: the canonical path that matched.
    ///   - segments: as they were split from it.
    func write(
        _ path: UnsafeRawBufferPointer, _ segments: UnsafeBufferPointer<PathSegment>, keepsEmptySegments: Bool,
        to scratch: PathScratch
    ) throws(PathError) -> PathSlice {
        // A `/` at the end may be added.
        let length = pieces.reduce(1) { $0 + count(of: $1, path, segments) }
        guard length <= CanonicalPath.maximumLength else { throw PathError(reason: .tooLong, offset: 0) }
        let output = scratch.templated(capacity: length)
        let end = write(path, segments, output)
        try Self.check(UnsafeRawBufferPointer(rebasing: output[..<end]), keepsEmptySegments: keepsEmptySegments)
        return PathSlice(home: .template, 0..<end)
    }

    private func write(
        _ path: UnsafeRawBufferPointer, _ segments: UnsafeBufferPointer<PathSegment>,
        _ output: UnsafeMutableRawBufferPointer
    ) -> Int {
        var end = 0
        for piece in pieces {
            if case .literal(let bytes) = piece {
                for byte in bytes {
                    output[end] = byte
                    end += 1
                }
                continue
            }
            let range = Self.range(of: piece, path, segments)
            // No segments are no `/` either.
            if range.isEmpty, end > 0 { end -= 1 }
            for index in range {
                output[end] = path[index]
                end += 1
            }
        }
        let endsOpen = path.count > 1 && path[path.count - 1] == PathBytes.slash
        if end == 0 || endsOpen && output[end - 1] != PathBytes.slash {
            output[end] = PathBytes.slash
            end += 1
        }
        return end
    }

    private func count(
        of piece: Piece, _ path: UnsafeRawBufferPointer, _ segments: UnsafeBufferPointer<PathSegment>
    ) -> Int {
        if case .literal(let bytes) = piece { return bytes.count }
        return Self.range(of: piece, path, segments).count
    }

    private static func range(
        of piece: Piece, _ path: UnsafeRawBufferPointer, _ segments: UnsafeBufferPointer<PathSegment>
    ) -> Range<Int> {
        switch piece {
        case .literal: return 0..<0
        case .segment(let place):
            guard place < segments.count else { return 0..<0 }
            return start(of: place, segments)..<Int(segments[place].end)
        case .rest(let place):
            let start = start(of: min(place, segments.count), segments)
            let end = path[path.count - 1] == PathBytes.slash ? path.count - 1 : path.count
            return start < end ? start..<end : 0..<0
        }
    }

    private static func start(of place: Int, _ segments: UnsafeBufferPointer<PathSegment>) -> Int {
        place == 0 ? 1 : Int(segments[place - 1].end) + 1
    }
}

extension PathTemplate {
    /// Whether a path that was written is the only form of itself. Most are found canonical by one scan.
    static func check(_ path: UnsafeRawBufferPointer, keepsEmptySegments: Bool) throws(PathError) {
        guard !CanonicalPath.isCanonical(path) else { return }
        let problem: PathError? = withUnsafeTemporaryAllocation(byteCount: path.count, alignment: 1) { output in
            var canonicalizer = PathCanonicalizer(path, output: output)
            do throws(PathError) { try canonicalizer.run() } catch { return error }
            let isSame =
                canonicalizer.written == path.count
                && path.elementsEqual(UnsafeRawBufferPointer(output))
                && (keepsEmptySegments || !canonicalizer.hasEmptySegments)
            return isSame ? nil : PathError(reason: .notCanonicalAfterRewrite, offset: 0)
        }
        if let problem { throw problem }
    }
}

/// Why a text is no template of a route's path.
package struct PathTemplateError: Error, Hashable {
    package let what: String
    package let remedy: String
}
