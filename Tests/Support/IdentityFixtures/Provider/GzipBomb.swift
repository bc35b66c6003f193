/// A gzip stream (RFC 1952) that inflates to many spaces, white space to a reader of JSON.
enum GzipBomb {
    /// The stream's head, of an unnamed file.
    private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    /// A block of fixed Huffman codes (RFC 1951 section 3.2.6): its three bits, the literal space, and the first bits of `copies`.
    private static let start: [UInt8] = [0x53, 0x18]
    /// Eight times the 13 bits of "258 more, copied from one byte back".
    private static let copies: [UInt8] = [
        0x05, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28, 0x18,
    ]

    /// The first `count` bytes of a stream without an end: a reader that notices has inflated everything before.
    static func bytes(_ count: Int) -> [UInt8] {
        var bytes = head + start
        bytes.reserveCapacity(count + copies.count)
        while bytes.count < count { bytes += copies }
        return bytes
    }
}
