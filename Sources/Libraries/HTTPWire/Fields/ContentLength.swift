/// The value of a `Content-Length`: digits alone, so neither a sign, nor a list, nor whitespace within.
enum ContentLength {
    /// The number, or nil when it is not one or is above `Int64.max`.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        // 19 digits cannot overflow 64 bits; leading zeros beyond them are refused with what is too large.
        guard bytes.count > 0, bytes.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard ByteClass.isDigit(byte) else { return nil }
            number = number &* 10 &+ UInt64(byte &- 0x30)
        }
        return number <= UInt64(Int64.max) ? number : nil
    }
}
