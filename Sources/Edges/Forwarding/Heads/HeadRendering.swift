import HTTPServer
import HTTPWire
import NIOCore
import TextCoding

extension ByteBuffer {
    /// Replaces the content with a head that `body` writes from `source`, at most `bound` bytes. Returns `false` with
    /// an empty buffer if the head exceeded `bound`, which is a programming error.
    @inline(__always)
    mutating func render(
        from source: UnsafeRawBufferPointer, atMost bound: Int, _ body: (inout HeadWriter) -> Void
    ) -> Bool {
        reuse(for: bound)
        let written = writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { output in
            var writer = HeadWriter(from: source, into: output)
            body(&writer)
            return writer.finish() ?? 0
        }
        return written > 0
    }

    /// Writes the size line of a chunk (RFC 9112 section 7.1).
    mutating func writeChunkHeader(_ size: Int) {
        writeWithUnsafeMutableBytes(minimumWritableBytes: ChunkHeader.maximumLength) { output in
            ChunkHeader.write(UInt64(size), into: output)
        }
    }
}

extension HeadWriter {
    /// Appends the `X-Request-Id` line. Its length is 48 bytes.
    @inline(__always)
    mutating func append(requestID id: (UInt64, UInt64)) {
        append("X-Request-Id: ")
        append(hexadecimal: id.0)
        append(hexadecimal: id.1)
        append("\r\n")
    }

    /// Appends 16 lower-case hexadecimal digits.
    @inline(__always)
    mutating func append(hexadecimal value: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { digits in
            guard let base = digits.baseAddress else { return }
            HexDigits.write(value, to: base)
            append(UnsafeRawBufferPointer(digits))
        }
    }
}
