/// A range of bytes in a message head, relative to the head's first byte.
///
/// 32-bit offsets bound a head at 4 GiB; ``HeadLimits`` is far below.
public struct ByteRange: Sendable, Hashable {
    /// The offset of the first byte.
    public var start: UInt32
    /// The number of bytes.
    public var length: UInt32

    /// Creates a range of `length` bytes at `start`.
    @inlinable
    public init(start: UInt32, length: UInt32) {
        self.start = start
        self.length = length
    }

    /// Creates the range from `lower` up to but not including `upper`, where `lower <= upper`.
    @inlinable
    init(_ lower: Int, _ upper: Int) {
        self.start = UInt32(truncatingIfNeeded: lower)
        self.length = UInt32(truncatingIfNeeded: upper &- lower)
    }

    /// An empty range at the start of the head, for absent values.
    @inlinable
    public static var empty: ByteRange { ByteRange(start: 0, length: 0) }

    /// The offset of the first byte.
    @inlinable
    public var lowerBound: Int { Int(start) }

    /// The offset after the last byte.
    @inlinable
    public var upperBound: Int { Int(start) &+ Int(length) }

    /// The number of bytes.
    @inlinable
    public var count: Int { Int(length) }

    /// Whether the range is empty.
    @inlinable
    public var isEmpty: Bool { length == 0 }

    /// The range as a Swift range of offsets.
    @inlinable
    public var range: Range<Int> { lowerBound..<upperBound }

    /// Returns the bytes of the range in its head. Traps if the range exceeds `head`.
    @inlinable
    public func bytes(in head: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        precondition(upperBound <= head.count, "the range belongs to another head")
        return UnsafeRawBufferPointer(rebasing: head[range])
    }
}
