/// A part of a path, as offsets: it stays valid when buffers move.
package struct PathSlice: Hashable, Sendable {
    /// Where the bytes are.
    enum Home: UInt8, Sendable {
        /// The path as it was received.
        case received
        /// The scratch buffer of canonical forms.
        case forms
        /// What a route's template wrote.
        case template
    }

    let home: Home
    let start: Int32
    let end: Int32

    /// False: offsets into the path as it was received. True: into a scratch buffer.
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

    /// The bytes of the slice that follow the first `count`.
    func dropping(_ count: Int) -> PathSlice {
        PathSlice(home: home, (Int(start) + count)..<Int(end))
    }
}

/// One segment of a path under match.
struct PathSegment {
    /// What literals are compared with; see `SegmentKey`.
    var key: UnsafeRawBufferPointer
    /// `SegmentKey.hash` of the key.
    var hash: UInt32
    /// Where the segment ends in the path.
    var end: Int32
}

/// Memory for canonicalising and matching one path at a time, reused for each. One a worker; not for sharing.
///
/// It grows to four times the longest path seen, which `CanonicalPath.maximumLength` bounds.
package final class PathScratch {
    /// The byte at 0 is always `/`; rewritten forms follow.
    private(set) var forms: UnsafeMutableRawBufferPointer
    /// Decoded keys of segments with escapes.
    private var keys: UnsafeMutableRawBufferPointer
    /// What a template wrote; empty until one does.
    private var template = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private let segmentBuffer: UnsafeMutableBufferPointer<PathSegment>
    private(set) var segmentCount = 0
    private var isBorrowed = false

    /// A scratch that takes paths up to `capacity` bytes without growing.
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

    /// The memory for one request, to be given back when that is routed and passed on. A request that is decided while another one still uses this
    /// memory gets memory of its own.
    package func borrow() -> PathScratch {
        if isBorrowed { return PathScratch().borrow() }
        isBorrowed = true
        return self
    }

    package func giveBack() { isBorrowed = false }

    /// The bytes of a slice; `path` is the path as it was received. Valid while `path` is and until the next request.
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

    /// Makes room for both rewritten forms of a path of `length` bytes. Drops what the buffer held.
    func reserveForms(for length: Int) {
        guard forms.count < 2 * length + 1 else { return }
        forms.deallocate()
        forms = .allocate(byteCount: 2 * length + 1, alignment: 8)
        forms[0] = PathBytes.slash
    }

    /// Room for a path of so many bytes that a template writes. Drops what was written there.
    func templated(capacity: Int) -> UnsafeMutableRawBufferPointer {
        if template.count < capacity {
            template.deallocate()
            template = .allocate(byteCount: max(capacity, 256), alignment: 8)
        }
        return template
    }

    /// The segments that the last `split` found.
    var segments: UnsafeBufferPointer<PathSegment> {
        UnsafeBufferPointer(rebasing: segmentBuffer[..<segmentCount])
    }

    /// Notes the first `limit` segments of a path (at most `RoutePattern.maximumSegments + 1`). A trailing `/` counts
    /// for nothing. Keys longer than `longestKey` bytes equal no literal and are not hashed.
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
