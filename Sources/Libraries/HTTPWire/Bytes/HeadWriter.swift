#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A writer of a head from ranges of another head and new bytes.
///
/// Adjacent ranges are copied together, so that a head with few changes takes few copies. Nothing is written beyond
/// the end of `output`, but the writer continues to count. So a pass with an empty buffer returns the required size,
/// and a sufficient estimate needs only one pass: at most the source's length plus all appended bytes.
///
///     let written = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: guess) { output in
///         var writer = HeadWriter(from: head, into: output)
///         writer.append("GET ")
///         writer.keep(request.target)
///         ...
///         return writer.finish() ?? 0
///     }
public struct HeadWriter: ~Copyable {
    private let source: UnsafeRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer
    /// The size of the head so far without the pending range. It may exceed the output.
    private var position = 0
    private var pendingStart = 0
    private var pendingEnd = 0

    /// Creates a writer that copies ranges of `source` to `output`. Both must outlive it and must not overlap.
    public init(from source: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        self.source = source
        self.output = output
    }

    /// The size of the head so far, in bytes.
    public var count: Int { position &+ (pendingEnd &- pendingStart) }

    /// Adds a range of the source. Traps if it exceeds the source.
    public mutating func keep(_ range: ByteRange) {
        precondition(range.upperBound <= source.count, "the range belongs to another head")
        if range.lowerBound != pendingEnd {
            flush()
            pendingStart = range.lowerBound
        }
        pendingEnd = range.upperBound
    }

    /// Adds bytes.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        flush()
        copy(bytes.baseAddress, bytes.count)
    }

    /// Adds bytes.
    public mutating func append(_ bytes: [UInt8]) {
        flush()
        bytes.withUnsafeBytes { copy($0.baseAddress, $0.count) }
    }

    /// Adds an ASCII literal.
    public mutating func append(_ text: StaticString) {
        flush()
        copy(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
    }

    /// Adds one byte.
    public mutating func append(_ byte: UInt8) {
        flush()
        if position < output.count { output[position] = byte }
        position &+= 1
    }

    /// Adds a number in decimal digits.
    public mutating func append(decimal number: UInt64) {
        flush()
        var divisor: UInt64 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(truncatingIfNeeded: number / divisor % 10) + 0x30)
            divisor /= 10
        }
    }

    /// Ends the head and returns its length. `nil` if it did not fit into the output.
    public consuming func finish() -> Int? {
        flush()
        return position <= output.count ? position : nil
    }

    private mutating func flush() {
        guard pendingEnd > pendingStart else { return }
        let start = pendingStart
        let length = pendingEnd &- pendingStart
        pendingStart = pendingEnd
        copy(source.baseAddress.map { $0 + start }, length)
    }

    @inline(__always)
    private mutating func copy(_ bytes: UnsafeRawPointer?, _ count: Int) {
        if let bytes, let target = output.baseAddress, position &+ count <= output.count {
            memcpy(target + position, bytes, count)
        }
        position &+= count
    }
}
