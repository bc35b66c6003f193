extension MatchTree {
    /// Whether a path begins as the pattern of a block does, up to its rest; the blocks around it are known to match.
    @inline(__always)
    func begins(_ block: Block, _ path: borrowing PathSegments) -> Bool {
        matches(block.front, path, at: Int(block.start))
    }

    /// Whether the whole path is one of the block's pattern, of which the beginning is known to match.
    @inline(__always)
    func isWhole(_ block: Block, _ path: borrowing PathSegments) -> Bool {
        let front = Int(block.start) + block.front.count
        guard let tail = block.tail else { return path.count == front }
        // A rest stands for any number of segments, none too: what is behind it is fixed from the end, and nothing has to be tried.
        return path.count >= front + tail.count && matches(tail, path, at: path.count - tail.count)
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
    /// The segments of a path that it stands for; a route's pattern that the path does not have stands for none.
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
