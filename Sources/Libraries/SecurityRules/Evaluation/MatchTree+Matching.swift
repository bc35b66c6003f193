extension MatchTree {
    /// Returns whether a path matches the block's segments before a rest. The enclosing blocks must match.
    @inline(__always)
    func begins(_ block: Block, _ path: borrowing PathSegments) -> Bool {
        matches(block.connectionContext, path, at: Int(block.start))
    }

    /// Returns whether the whole path matches the block's pattern. Its segments before a rest must match.
    @inline(__always)
    func isWhole(_ block: Block, _ path: borrowing PathSegments) -> Bool {
        let connectionContext = Int(block.start) + block.connectionContext.count
        guard let tail = block.tail else { return path.count == connectionContext }
        // A rest matches any number of segments, including none. The segments after it are matched from the end,
        // without backtracking.
        return path.count >= connectionContext + tail.count && matches(tail, path, at: path.count - tail.count)
    }

    private func matches(_ pattern: Range<Int32>, _ path: borrowing PathSegments, at start: Int) -> Bool {
        guard start + pattern.count <= path.count else { return false }
        var index = start
        for number in pattern {
            switch segments[Int(number)] {
            case .any: if path.isEmpty(index) { return false }
            case .literal(let range): if !isEqual(range, path.raw(index)) { return false }
            }
            index += 1
        }
        return true
    }

    private func isEqual(_ literal: Range<Int32>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard literal.count == bytes.count else { return false }
        for offset in 0..<bytes.count where literals[Int(literal.lowerBound) + offset] != bytes[offset] {
            return false
        }
        return true
    }
}

extension MatchTree.Capture {
    /// Returns the segments that the capture matched. Empty if the path does not match the route's pattern.
    func segments(of count: Int) -> Range<Int> {
        switch self {
        case .segment(let index): Int(index) < count ? Int(index)..<Int(index) + 1 : 0..<0
        case .segmentFromEnd(let index): Int(index) <= count ? count - Int(index)..<count - Int(index) + 1 : 0..<0
        case .rest(let start, let end): min(Int(start), max(count - Int(end), 0))..<max(count - Int(end), 0)
        }
    }

    var isRest: Bool {
        if case .rest = self { return true }
        return false
    }
}
