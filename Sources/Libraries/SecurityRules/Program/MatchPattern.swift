/// The whole pattern of a block, including enclosing blocks.
struct MatchPattern {
    /// The position of a capture.
    enum Capture {
        case connectionContext(Int)
        case rest
        case tail(Int)
    }

    /// The segments before a rest.
    private(set) var connectionContext: [PatternSegment] = []
    /// The segments after a rest. `nil` if there is no rest.
    private(set) var tail: [PatternSegment]?
    /// The captures in the order of the text, and their names.
    private(set) var captures: [Capture] = []
    private(set) var names: [String] = []
    private(set) var text = ""

    mutating func append(_ segment: PatternSegment) {
        switch segment.kind {
        case .literal(let bytes): text += "/" + String(decoding: bytes, as: UTF8.self)
        case .capture(let name):
            text += "/{\(name)}"
            captures.append(tail.map { .tail($0.count) } ?? .connectionContext(connectionContext.count))
            names.append(name)
        case .rest(let name):
            text += "/{\(name)=**}"
            captures.append(.rest)
            names.append(name)
            // The parser rejects a second rest.
            if tail == nil { tail = [] }
            return
        }
        if tail == nil { connectionContext.append(segment) } else { tail?.append(segment) }
    }
}

extension MatchTree {
    mutating func append(_ pattern: ArraySlice<PatternSegment>) -> Range<Int32> {
        let first = Int32(truncatingIfNeeded: segments.count)
        for segment in pattern {
            if case .literal(let bytes) = segment.kind {
                let start = Int32(truncatingIfNeeded: literals.count)
                literals.append(contentsOf: bytes)
                segments.append(.literal(start..<Int32(truncatingIfNeeded: literals.count)))
            } else {
                segments.append(.any)
            }
        }
        return first..<Int32(truncatingIfNeeded: segments.count)
    }

    mutating func append(capturesOf pattern: MatchPattern) -> Range<Int32> {
        let first = Int32(truncatingIfNeeded: captures.count)
        let (connectionContext, tail) = (pattern.connectionContext.count, pattern.tail?.count ?? 0)
        for capture in pattern.captures {
            switch capture {
            case .connectionContext(let index): captures.append(.segment(Int32(truncatingIfNeeded: index)))
            case .rest:
                captures.append(
                    .rest(Int32(truncatingIfNeeded: connectionContext), end: Int32(truncatingIfNeeded: tail)))
            case .tail(let index): captures.append(.segmentFromEnd(Int32(truncatingIfNeeded: tail - index)))
            }
        }
        return first..<Int32(truncatingIfNeeded: captures.count)
    }
}
