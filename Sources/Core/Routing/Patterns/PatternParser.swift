/// A parser of patterns by segment.
struct PatternParser {
    private let bytes: [UInt8]
    private let encodedSlashes: RouteDefinition.EncodedSlashes
    private var names: Set<String> = []

    private(set) var segments: [RoutePattern.Segment] = []
    private(set) var rest = RoutePattern.Rest.none

    init(_ text: String, encodedSlashes: RouteDefinition.EncodedSlashes) throws(PatternError) {
        bytes = Array(text.utf8)
        self.encodedSlashes = encodedSlashes
        guard bytes.first == PathBytes.slash else { throw PatternError(reason: .notAbsolute, offset: 0) }
        guard bytes.count <= RoutePattern.maximumLength else {
            throw PatternError(reason: .tooLong, offset: RoutePattern.maximumLength)
        }
    }

    mutating func run() throws(PatternError) {
        var start = 1
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: PathBytes.slash) ?? bytes.count
            guard rest == .none else { throw PatternError(reason: .restNotLast, offset: start) }
            guard segments.count < RoutePattern.maximumSegments else {
                throw PatternError(reason: .tooLong, offset: start)
            }
            try segment(start..<end)
            start = end + 1
        }
    }

    private mutating func segment(_ range: Range<Int>) throws(PatternError) {
        let segment = bytes[range]
        if segment.isEmpty {
            throw PatternError(reason: .emptySegment, offset: range.lowerBound)
        } else if segment.elementsEqual("**".utf8) {
            rest = .unnamed
        } else if segment.first == UInt8(ascii: "{") {
            try capture(segment)
        } else {
            segments.append(.literal(try literal(segment)))
        }
    }

    private mutating func capture(_ segment: ArraySlice<UInt8>) throws(PatternError) {
        guard segment.last == UInt8(ascii: "}"), segment.count >= 2 else {
            throw PatternError(reason: .badCapture, offset: segment.startIndex)
        }
        let inner = segment.dropFirst().dropLast()
        let equals = inner.firstIndex(of: UInt8(ascii: "="))
        let name = try self.name(inner[..<(equals ?? inner.endIndex)])
        guard let equals else {
            segments.append(.capture(name))
            return
        }
        guard inner[(equals + 1)...].elementsEqual("**".utf8) else {
            throw PatternError(reason: .badCapture, offset: equals)
        }
        rest = .named(name)
    }

    private mutating func name(_ bytes: ArraySlice<UInt8>) throws(PatternError) -> String {
        guard let first = bytes.first else { throw PatternError(reason: .emptyName, offset: bytes.startIndex) }
        let bad = bytes.firstIndex { !PathBytes.isLetter($0) && !PathBytes.isDigit($0) && $0 != UInt8(ascii: "_") }
        if bad != nil || PathBytes.isDigit(first) {
            throw PatternError(reason: .badName, offset: bad ?? bytes.startIndex)
        }
        let name = String(decoding: bytes, as: UTF8.self)
        guard names.insert(name).inserted else {
            throw PatternError(reason: .duplicateName, offset: bytes.startIndex)
        }
        return name
    }

    private func literal(_ segment: ArraySlice<UInt8>) throws(PatternError) -> [UInt8] {
        if let brace = segment.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            throw PatternError(reason: .badCapture, offset: brace)
        }
        if let star = segment.firstIndex(of: UInt8(ascii: "*")) {
            throw PatternError(reason: .wildcardInLiteral, offset: star)
        }
        let path = [PathBytes.slash] + segment
        try requireCanonical(path, at: segment.startIndex)
        return path.withUnsafeBytes { SegmentKey.decode(UnsafeRawBufferPointer(rebasing: $0[1...])) }
    }

    /// Canonicalizes a literal, as a path, in the same way as requests.
    private func requireCanonical(_ path: [UInt8], at start: Int) throws(PatternError) {
        let scratch = PathScratch(capacity: path.count)
        let canonical = Self.canonicalize(path, scratch: scratch)
        switch canonical {
        case .failure(let error): throw Self.patternError(error, segmentStart: start)
        case .success((let bytes, let hasEncodedSlash)):
            if hasEncodedSlash, encodedSlashes == .reject {
                throw PatternError(reason: .encodedSlash, offset: start)
            }
            guard bytes != path else { return }
            let isDots = bytes.count == 1
            let difference = zip(bytes, path).prefix { $0 == $1 }.count
            throw PatternError(reason: isDots ? .dotSegment : .notCanonical, offset: start + difference - 1)
        }
    }

    private static func canonicalize(
        _ path: [UInt8], scratch: PathScratch
    ) -> Result<(bytes: [UInt8], hasEncodedSlash: Bool), PathError> {
        path.withUnsafeBytes { buffer in
            Result { () throws(PathError) in
                let canonical = try CanonicalPath(buffer, scratch: scratch)
                return (Array(scratch.bytes(of: canonical.merged, in: buffer)), canonical.hasEncodedSlash)
            }
        }
    }

    private static func patternError(_ error: PathError, segmentStart: Int) -> PatternError {
        let offset = segmentStart + max(error.offset, 1) - 1
        // As a whole path, `..` is above the root.
        if error.reason == .aboveRoot { return PatternError(reason: .dotSegment, offset: segmentStart) }
        return PatternError(reason: .impossible(error.reason), offset: offset)
    }
}
