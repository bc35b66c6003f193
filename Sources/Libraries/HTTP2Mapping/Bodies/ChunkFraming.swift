import HTTPWire
package import NIOCore
package import NIOHPACK

/// The chunked framing of a body for HTTP/1.1 (RFC 9112 section 7.1).
extension ByteBuffer {
    /// Writes one chunk. An empty part writes nothing, because an empty chunk would end the body.
    package mutating func writeChunk(_ part: ByteBuffer) {
        guard part.readableBytes > 0 else { return }
        writeWithUnsafeMutableBytes(minimumWritableBytes: ChunkHeader.maximumLength) { output in
            ChunkHeader.write(UInt64(part.readableBytes), into: output)
        }
        writeImmutableBuffer(part)
        writeStaticString("\r\n")
    }

    /// Writes the last chunk with a trailer section.
    package mutating func writeLastChunk(trailers: HPACKHeaders? = nil) {
        writeStaticString("0\r\n")
        for (name, value, _) in trailers ?? [:] { writeFieldLine(name, value) }
        writeStaticString("\r\n")
    }

    /// Writes a field line. The caller has checked name and value with ``FieldSyntax``.
    package mutating func writeFieldLine(_ name: String, _ value: String) {
        writeString(name)
        writeStaticString(": ")
        writeString(value)
        writeStaticString("\r\n")
    }
}
