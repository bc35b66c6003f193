extension Compiler {
    /// The whole pattern of a block.
    struct Pattern {
        /// The segments in front of a rest.
        var front: [PatternSegment] = []
        /// Those behind it; nil: there is no rest.
        var tail: [PatternSegment]?
        /// The captures in the order in which they stand.
        var captures: [Captured] = []
        var text = ""
    }

    /// Which segment a capture is.
    enum Captured {
        case front(Int)
        case rest
        case tail(Int)
    }

    mutating func append(_ segment: PatternSegment, to pattern: inout Pattern, _ scope: inout Scope) {
        switch segment.kind {
        case .literal(let bytes):
            pattern.text += "/" + String(decoding: bytes, as: UTF8.self)
            append(segment, to: &pattern)
        case .capture(let name):
            pattern.text += "/{\(name)}"
            pattern.captures.append(pattern.tail.map { .tail($0.count) } ?? .front(pattern.front.count))
            scope.captures.append(name)
            append(segment, to: &pattern)
        case .rest(let name):
            pattern.text += "/{\(name)=**}"
            pattern.captures.append(.rest)
            scope.captures.append(name)
            // The checker refuses a second one.
            if pattern.tail == nil { pattern.tail = [] }
        }
    }

    private func append(_ segment: PatternSegment, to pattern: inout Pattern) {
        if pattern.tail == nil { pattern.front.append(segment) } else { pattern.tail?.append(segment) }
    }

    mutating func segments(_ pattern: ArraySlice<PatternSegment>) -> Range<Int32> {
        let first = Int32(truncatingIfNeeded: matches.segments.count)
        for segment in pattern {
            if case .literal(let bytes) = segment.kind {
                let start = Int32(truncatingIfNeeded: matches.literals.count)
                matches.literals.append(contentsOf: bytes)
                matches.segments.append(.literal(start..<Int32(truncatingIfNeeded: matches.literals.count)))
            } else {
                matches.segments.append(.any)
            }
        }
        return first..<Int32(truncatingIfNeeded: matches.segments.count)
    }

    mutating func captures(of pattern: Pattern) -> Range<Int32> {
        let first = Int32(truncatingIfNeeded: matches.captures.count)
        let (front, tail) = (pattern.front.count, pattern.tail?.count ?? 0)
        for capture in pattern.captures {
            switch capture {
            case .front(let index): matches.captures.append(.segment(Int32(truncatingIfNeeded: index)))
            case .rest:
                matches.captures.append(
                    .rest(Int32(truncatingIfNeeded: front), end: Int32(truncatingIfNeeded: tail)))
            case .tail(let index): matches.captures.append(.segmentFromEnd(Int32(truncatingIfNeeded: tail - index)))
            }
        }
        return first..<Int32(truncatingIfNeeded: matches.captures.count)
    }
}
