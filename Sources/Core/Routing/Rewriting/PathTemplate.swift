/// A template of the forwarded path: literals, and captures of the route's pattern.
///
/// The result is checked again. It is an error if it is ambiguous or if a server would resolve it to another path,
/// although its parts came from a canonical path. For example, `/files/.{name}` can result in `..`.
package struct PathTemplate: Sendable {
    /// The maximum size of a template, in bytes.
    package static let maximumLength = 2_048
    /// The maximum number of captures.
    static let maximumCaptures = 32

    enum Piece: Sendable, Hashable {
        case literal([UInt8])
        /// The path segment of a `{name}`, by its index.
        case segment(Int)
        /// The segments from this index on, as whole segments of the template.
        case rest(from: Int)
    }

    let pieces: [Piece]

    /// Parses a template with the captures of `pattern`.
    package init(_ text: String, pattern: RoutePattern) throws(PathTemplateError) {
        var parser = PathTemplateParser(text, pattern: pattern)
        pieces = try parser.run()
    }

    /// Writes the forwarded path of a request.
    ///
    /// - Parameters:
    ///   - path: The matched canonical path.
    ///   - segments: The segments of the path.
    func write(
        _ path: UnsafeRawBufferPointer, _ segments: UnsafeBufferPointer<PathSegment>, keepsEmptySegments: Bool,
        to scratch: PathScratch
    ) throws(PathError) -> PathSlice {
        // A trailing `/` may be added.
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
            // Without segments, the preceding `/` is removed too.
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
    /// Checks that a written path is canonical. One scan is usually sufficient.
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

/// The reason that a text is not a valid template.
package struct PathTemplateError: Error, Hashable {
    package let what: String
    package let remedy: String
}
