/// The line before a chunk's payload: its size in hexadecimal and CRLF.
public enum ChunkHeader {
    /// The most bytes of the line.
    public static let maximumLength = 18

    /// Writes the line for a chunk of `size` bytes to the start of `output`, which has room for ``maximumLength``
    /// bytes, and gives its length. Size 0 writes the last chunk's line, after which trailers or an empty line follow.
    public static func write(_ size: UInt64, into output: UnsafeMutableRawBufferPointer) -> Int {
        precondition(output.count >= maximumLength, "no room for a chunk's header")
        let digits = max(1, (67 - size.leadingZeroBitCount) / 4)
        var rest = size
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            output[place] = digit < 10 ? digit + 0x30 : digit + 0x57
            rest >>= 4
        }
        output[digits] = 0x0D
        output[digits + 1] = 0x0A
        return digits + 2
    }
}
