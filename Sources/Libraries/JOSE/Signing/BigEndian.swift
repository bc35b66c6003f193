internal import CLibcrypto

/// Numbers of libcrypto as big-endian bytes.
enum BigEndian {
    /// The number in exactly `count` bytes, zeros in front; `nil` when it does not fit.
    static func bytes(_ number: OpaquePointer?, count: Int) -> [UInt8]? {
        guard let number else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) ? bytes : nil
    }

    /// The number in as few bytes as it needs.
    static func bytes(_ number: OpaquePointer) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}
