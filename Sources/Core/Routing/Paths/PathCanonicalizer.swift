import TextCoding

/// A one-pass canonicalization of a path that keeps empty segments. The output is never longer than the input.
struct PathCanonicalizer {
    private let input: UnsafeRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer
    private var read = 0
    /// The start of the current segment in the output.
    private var segmentStart = 1
    private var segmentHasPercent = false
    private var segmentHasSlash = false

    /// The number of bytes written.
    private(set) var written = 0
    /// Whether there was an empty segment before the last `/`.
    private(set) var hasEmptySegments = false
    /// Whether there was a `%2F`.
    private(set) var hasEncodedSlash = false

    /// Creates a canonicalizer. `output` must have room for at least as many bytes as `input`.
    init(_ input: UnsafeRawBufferPointer, output: UnsafeMutableRawBufferPointer) {
        self.input = input
        self.output = output
    }

    mutating func run() throws(PathError) {
        guard let first = input.first, first == PathBytes.slash else { throw error(.notAbsolute) }
        emit(first)
        read = 1
        while read < input.count { try step() }
        try endSegment()
    }

    private mutating func step() throws(PathError) {
        let byte = input[read]
        if PathBytes.isPlain(byte) || byte == PathBytes.dot {
            emit(byte)
            read += 1
        } else if byte == PathBytes.slash {
            try slash()
        } else if byte == PathBytes.percent {
            try escape()
        } else {
            throw error(Self.reason(against: byte))
        }
    }

    private static func reason(against byte: UInt8) -> PathError.Reason {
        switch byte {
        case UInt8(ascii: "#"): .fragment
        case UInt8(ascii: "?"): .query
        case UInt8(ascii: "\\"): .backslash
        case 0x80...: .nonASCII
        default: .control
        }
    }

    // MARK: Escapes

    private mutating func escape() throws(PathError) {
        guard let value = PathBytes.escape(in: input, at: read) else { throw error(.invalidEscape) }
        switch value {
        case _ where PathBytes.isOverlong(value, in: input, at: read): throw error(.overlongEncoding)
        case 0: throw error(.encodedNUL)
        case UInt8(ascii: "\\"): throw error(.encodedBackslash)
        case PathBytes.slash:
            hasEncodedSlash = true
            segmentHasSlash = true
            emitEscape(value)
        case PathBytes.percent:
            segmentHasPercent = true
            emitEscape(value)
        case _ where PercentEncoding.isUnreserved(value): emit(value)
        default: emitEscape(value)
        }
        read += 3
    }

    private mutating func emitEscape(_ value: UInt8) {
        emit(PathBytes.percent)
        emit(HexDigits.upperCase(value >> 4))
        emit(HexDigits.upperCase(value))
    }

    private mutating func emit(_ byte: UInt8) {
        output[written] = byte
        written += 1
    }

    // MARK: Segments

    private var segment: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: output[segmentStart..<written])
    }

    private mutating func slash() throws(PathError) {
        let isEmpty = written == segmentStart
        try endSegment()
        // A dot segment was removed together with the `/` after it.
        if isEmpty || written > segmentStart {
            emit(PathBytes.slash)
            hasEmptySegments = hasEmptySegments || isEmpty
        }
        segmentStart = written
        read += 1
    }

    /// Checks the decoded segment at the end of the output, and resolves it if it is a dot segment.
    private mutating func endSegment() throws(PathError) {
        if segmentHasPercent { try refuseDoubleEncoding() }
        if segmentHasSlash, DotSegment.occurs(in: segment) { throw error(.dotSegmentBesideEncodedSlash) }
        segmentHasPercent = false
        segmentHasSlash = false
        switch DotSegment(segment) {
        case .none: break
        case .current: written = segmentStart
        case .parent: try removeParent()
        case .parameter: throw error(.parameterAfterDotSegment)
        }
    }

    private mutating func removeParent() throws(PathError) {
        guard segmentStart > 1 else { throw error(.aboveRoot) }
        var start = segmentStart - 1
        while output[start - 1] != PathBytes.slash { start -= 1 }
        written = start
        segmentStart = start
    }

    /// Rejects double encoding. It checks the decoded segment, since `%25%32%65` is equivalent to `%252e`.
    private func refuseDoubleEncoding() throws(PathError) {
        let segment = segment
        for index in segment.indices where segment[index] == PathBytes.percent {
            guard PathBytes.escape(in: segment, at: index) == PathBytes.percent else { continue }
            guard index + 4 < segment.count, let high = HexDigits.value(of: segment[index + 3]),
                let low = HexDigits.value(of: segment[index + 4])
            else { continue }
            switch high << 4 | low {
            case 0, PathBytes.percent, PathBytes.dot, PathBytes.slash, UInt8(ascii: "\\"): throw error(.doubleEncoding)
            default: continue
            }
        }
    }

    private func error(_ reason: PathError.Reason) -> PathError {
        PathError(reason: reason, offset: read)
    }
}
