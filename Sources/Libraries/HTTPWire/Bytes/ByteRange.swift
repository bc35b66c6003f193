/// A run of bytes in a message head: offsets from the head's first byte.
///
/// 32 bits each, which bounds a head at 4 GiB; ``HeadLimits`` keeps it far below.
public struct ByteRange: Sendable, Hashable {
    /// The offset of the first byte.
    public var start: UInt32
    /// How many bytes.
    public var length: UInt32

    /// The run of `length` bytes at `start`.
    @inlinable
    public init(start: UInt32, length: UInt32) {
        self.start = start
        self.length = length
    }

    /// The run from `lower` up to and without `upper`; both must lie in a head, `lower <= upper`.
    @inlinable
    init(_ lower: Int, _ upper: Int) {
        self.start = UInt32(truncatingIfNeeded: lower)
        self.length = UInt32(truncatingIfNeeded: upper &- lower)
    }

    /// A run without bytes at the head's start, for what is absent.
    @inlinable
    public static var empty: ByteRange { ByteRange(start: 0, length: 0) }

    /// The offset of the first byte.
    @inlinable
    public var lowerBound: Int { Int(start) }

    /// The offset after the last byte.
    @inlinable
    public var upperBound: Int { Int(start) &+ Int(length) }

    /// How many bytes.
    @inlinable
    public var count: Int { Int(length) }

    /// Whether there are no bytes.
    @inlinable
    public var isEmpty: Bool { length == 0 }

    /// The same bytes as a Swift range of offsets.
    @inlinable
    public var range: Range<Int> { lowerBound..<upperBound }

    /// The bytes of this run in the head it was made from. Traps when the run lies outside `head`.
    @inlinable
    public func bytes(in head: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        precondition(upperBound <= head.count, "a range of another head")
        return UnsafeRawBufferPointer(rebasing: head[range])
    }
}
