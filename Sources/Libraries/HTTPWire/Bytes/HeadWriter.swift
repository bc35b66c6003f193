#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Builds a head out of runs of another head's bytes and of bytes of its own.
///
/// Runs that are kept one after the other are copied in one go, so that a head whose fields mostly stay costs a few
/// copies. Nothing is written beyond `output`; what would not fit is only counted. So one pass over an empty buffer
/// gives the size needed, and with a good guess of it one pass is all: at most the source's length and what is
/// appended.
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
    /// The bytes that the head has so far, in the output as far as they fit, without the pending run.
    private var position = 0
    private var pendingStart = 0
    private var pendingEnd = 0

    /// A writer that keeps runs of `source` and fills `output`; both must outlive it and not overlap.
    public init(from source: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        self.source = source
        self.output = output
    }

    /// How many bytes the head has so far.
    public var count: Int { position &+ (pendingEnd &- pendingStart) }

    /// Adds a run of the source's bytes. Traps when it lies outside the source.
    public mutating func keep(_ range: ByteRange) {
        precondition(range.upperBound <= source.count, "a range of another head")
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

    /// Adds a literal of ASCII.
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

    /// Ends the head: its length, or nil when the output had no room for it.
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
