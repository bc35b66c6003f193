/// The FNV-1a checksum of 64 bits: enough to see that a long body arrived as it was sent.
public enum FNV1a {
    /// The checksum of nothing.
    public static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The checksum of bytes.
    public static func checksum(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { add($0, to: start) } }

    static func add(_ bytes: UnsafeRawBufferPointer, to checksum: UInt64) -> UInt64 {
        var checksum = checksum
        for byte in bytes { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return checksum
    }
}
