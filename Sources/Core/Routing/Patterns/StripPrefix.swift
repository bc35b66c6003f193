/// The leading literal segments that a route removes before forwarding.
struct StripPrefix: Sendable {
    private let keys: [[UInt8]]
    private let caseInsensitive: Bool

    /// The number of removed segments.
    var count: Int { keys.count }

    /// Parses a `strip_prefix`. A trailing `/` is ignored.
    init(_ text: String, route: RouteDefinition) throws(PatternError) {
        var parser = try PatternParser(text, encodedSlashes: route.encodedSlashes)
        try parser.run()
        var keys: [[UInt8]] = []
        for segment in parser.segments {
            guard case .literal(let key) = segment else { throw PatternError(reason: .notLiteral, offset: 0) }
            keys.append(key)
        }
        guard parser.rest == .none else { throw PatternError(reason: .notLiteral, offset: 0) }
        self.keys = keys
        caseInsensitive = route.caseInsensitive
    }

    /// Returns whether any path that the pattern matches begins with the prefix.
    func canApply(to pattern: RoutePattern) -> Bool {
        guard keys.count <= pattern.segments.count || pattern.rest != .none else { return false }
        return zip(keys, pattern.segments).allSatisfy { key, segment in
            guard case .literal(let literal) = segment else { return true }
            return equals(key, literal)
        }
    }

    /// Returns the number of bytes to remove from the path with these segments; 0 if it does not begin with the prefix.
    func length(in segments: UnsafeBufferPointer<PathSegment>) -> Int {
        guard !keys.isEmpty, segments.count >= keys.count else { return 0 }
        for (key, segment) in zip(keys, segments) {
            let matches = key.withUnsafeBytes { equals($0, segment.key) }
            guard matches else { return 0 }
        }
        return Int(segments[keys.count - 1].end)
    }

    /// Returns the error of a path after the removal, if any. Removing whole segments of a canonical path results in
    /// a canonical path; this check is a second line of defence.
    static func problem(with path: UnsafeRawBufferPointer) -> PathError? {
        guard path.first == PathBytes.slash else { return PathError(reason: .notAbsolute, offset: 0) }
        if path.count > 1, path[1] == PathBytes.slash {
            return PathError(reason: .emptySegmentAfterStrip, offset: 0)
        }
        return DotSegment.occurs(in: path) ? PathError(reason: .dotSegmentAfterStrip, offset: 0) : nil
    }

    private func equals(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy {
                $0 == $1 || caseInsensitive && PathBytes.lowercased($0) == PathBytes.lowercased($1)
            }
    }
}
