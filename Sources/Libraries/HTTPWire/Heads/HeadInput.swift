/// The bytes of one head, bounded, and how far they were read.
struct HeadInput {
    let base: UnsafeRawPointer
    let count: Int

    /// Takes `head` if it is within the limits and not empty.
    @inline(__always)
    init(_ head: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadError) {
        guard let base = head.baseAddress, head.count > 0 else { throw .malformed(reason: "empty head") }
        guard head.count <= limits.size, head.count <= Int(Int32.max) else { throw .tooLarge }
        self.base = base
        self.count = head.count
    }

    /// All bytes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// The bytes of a range that was made from this head.
    @inline(__always)
    func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Whether the two bytes at `position` are CR LF.
    @inline(__always)
    func isLineEnd(_ position: Int) -> Bool {
        position &+ 1 < count && base.byte(position) == 0x0D && base.byte(position &+ 1) == 0x0A
    }
}
