/// A part of a path as offsets, which remain valid when buffers move.
package struct PathSlice: Hashable, Sendable {
    /// The buffer of a slice.
    enum Home: UInt8, Sendable {
        /// The received path.
        case received
        /// The scratch buffer of canonical forms.
        case forms
        /// The output of a route's template.
        case template
    }

    let home: Home
    let start: Int32
    let end: Int32

    /// Whether the offsets refer to a scratch buffer instead of the received path.
    package var isRewritten: Bool { home != .received }

    init(isRewritten: Bool, _ range: Range<Int>) {
        self.init(home: isRewritten ? .forms : .received, range)
    }

    init(home: Home, _ range: Range<Int>) {
        self.home = home
        start = Int32(truncatingIfNeeded: range.lowerBound)
        end = Int32(truncatingIfNeeded: range.upperBound)
    }

    /// The offsets.
    package var range: Range<Int> { Int(start)..<Int(end) }

    /// Returns the slice without its first `count` bytes.
    func dropping(_ count: Int) -> PathSlice {
        PathSlice(home: home, (Int(start) + count)..<Int(end))
    }
}

/// A segment of a path during a match.
struct PathSegment {
    /// The key that is compared with literals; see `SegmentKey`.
    var key: UnsafeRawBufferPointer
    /// `SegmentKey.hash` of the key.
    var hash: UInt32
    /// The end of the segment in the path.
    var end: Int32
}

/// Reusable memory for canonicalizing and matching one path at a time. Not thread-safe: each worker has its own.
///
/// It grows to four times the longest path so far, which `CanonicalPath.maximumLength` bounds.
package final class PathScratch {
    /// The byte at 0 is always `/`; rewritten forms follow.
    private(set) var forms: UnsafeMutableRawBufferPointer
    /// The decoded keys of segments with escapes.
    private var keys: UnsafeMutableRawBufferPointer
    /// The output of a template. Allocated on first use.
    private var template = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private let segmentBuffer: UnsafeMutableBufferPointer<PathSegment>
    private(set) var segmentCount = 0
    private var isBorrowed = false

    /// Creates memory for paths of up to `capacity` bytes without growth.
    package init(capacity: Int = 2048) {
        forms = .allocate(byteCount: 2 * capacity + 1, alignment: 8)
        forms[0] = PathBytes.slash
        keys = .allocate(byteCount: capacity, alignment: 8)
        segmentBuffer = .allocate(capacity: RoutePattern.maximumSegments + 1)
    }

    deinit {
        forms.deallocate()
        keys.deallocate()
        template.deallocate()
        segmentBuffer.deallocate()
    }

    /// Borrows the memory for one request, until `release`. While it is borrowed, another request receives new memory.
    package func borrow() -> PathScratch {
        if isBorrowed { return PathScratch().borrow() }
        isBorrowed = true
        return self
    }

    package func release() { isBorrowed = false }

    /// Returns the bytes of a slice. `path` is the received path. They are valid as long as `path` and until the next
    /// request.
    @inline(__always)
    package func bytes(of slice: PathSlice, in path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let whole =
            switch slice.home {
            case .received: path
            case .forms: UnsafeRawBufferPointer(forms)
            case .template: UnsafeRawBufferPointer(template)
            }
        return UnsafeRawBufferPointer(rebasing: whole[slice.range])
    }

    /// The path `/`.
    var root: PathSlice { PathSlice(isRewritten: true, 0..<1) }

    /// Reserves room for both forms of a path of `length` bytes. Discards the content.
    func reserveForms(for length: Int) {
        guard forms.count < 2 * length + 1 else { return }
        forms.deallocate()
        forms = .allocate(byteCount: 2 * length + 1, alignment: 8)
        forms[0] = PathBytes.slash
    }

    /// Returns room for a template's output of `capacity` bytes. Discards the content.
    func templated(capacity: Int) -> UnsafeMutableRawBufferPointer {
        if template.count < capacity {
            template.deallocate()
            template = .allocate(byteCount: max(capacity, 256), alignment: 8)
        }
        return template
    }

    /// The segments of the last `split`.
    var segments: UnsafeBufferPointer<PathSegment> {
        UnsafeBufferPointer(rebasing: segmentBuffer[..<segmentCount])
    }

    /// Records the first `limit` segments of a path, at most `RoutePattern.maximumSegments + 1`. A trailing `/` is
    /// ignored. Keys longer than `longestKey` bytes equal no literal and are not hashed.
    func split(_ path: UnsafeRawBufferPointer, limit: Int, longestKey: Int) {
        var keyStart = 0
        var count = 0
        var start = 1
        while start < path.count, count < limit {
            var end = start
            var hasEscape = false
            while end < path.count, path[end] != PathBytes.slash {
                if path[end] == PathBytes.percent { hasEscape = true }
                end += 1
            }
            var key = UnsafeRawBufferPointer(rebasing: path[start..<end])
            if hasEscape { key = decodedKey(key, at: &keyStart, pathLength: path.count) }
            let hash = key.count <= longestKey ? SegmentKey.hash(key) : 0
            segmentBuffer[count] = PathSegment(key: key, hash: hash, end: Int32(truncatingIfNeeded: end))
            count += 1
            start = end + 1
        }
        segmentCount = count
    }

    private func decodedKey(
        _ segment: UnsafeRawBufferPointer, at start: inout Int, pathLength: Int
    ) -> UnsafeRawBufferPointer {
        // All keys of a path together are no longer than the path, so the buffer moves only before the first.
        if keys.count < pathLength {
            keys.deallocate()
            keys = .allocate(byteCount: pathLength, alignment: 8)
        }
        let count = SegmentKey.decode(segment, into: UnsafeMutableRawBufferPointer(rebasing: keys[start...]))
        defer { start += count }
        return UnsafeRawBufferPointer(rebasing: keys[start..<(start + count)])
    }
}
