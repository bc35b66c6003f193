/// Conversion of an ES256, ES384 or ES512 signature to the DER that libcrypto reads. In JWS it is r and s, each as
/// long as the curve's field (RFC 7518 section 3.4).
enum ECDSASignature {
    /// The maximum length of the DER of a P-521 signature: two integers of 66 bytes with a sign byte each, and three
    /// headers.
    private static let capacity = 144

    /// Calls `body` with the DER of `raw`, whose halves are `width` bytes each. `nil` if `raw` has another length.
    static func withDER<R>(
        of raw: UnsafeRawBufferPointer, width: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) -> R? {
        guard raw.count == 2 * width, width <= 66 else { return nil }
        let r = magnitude(UnsafeRawBufferPointer(rebasing: raw[..<width]))
        let s = magnitude(UnsafeRawBufferPointer(rebasing: raw[width...]))
        return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { output in
            let length = write(r, s, to: output)
            return body(UnsafeRawBufferPointer(rebasing: output[..<length]))
        }
    }

    /// Returns `bytes` without leading zeros. Zero keeps one byte.
    private static func magnitude(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = bytes.firstIndex { $0 != 0 } ?? bytes.count - 1
        return UnsafeRawBufferPointer(rebasing: bytes[start...])
    }

    private static func write(
        _ r: UnsafeRawBufferPointer, _ s: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let content = integerLength(r) + integerLength(s)
        var position = 0
        output[position] = 0x30
        position += 1
        if content >= 0x80 {
            output[position] = 0x81
            position += 1
        }
        output[position] = UInt8(content)
        position += 1
        writeInteger(r, to: output, at: &position)
        writeInteger(s, to: output, at: &position)
        return position
    }

    /// Integers are positive, so a set top bit requires a zero byte before it.
    private static func signByte(_ magnitude: UnsafeRawBufferPointer) -> Int { magnitude[0] >= 0x80 ? 1 : 0 }

    private static func integerLength(_ magnitude: UnsafeRawBufferPointer) -> Int {
        2 + signByte(magnitude) + magnitude.count
    }

    private static func writeInteger(
        _ magnitude: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, at position: inout Int
    ) {
        output[position] = 0x02
        output[position + 1] = UInt8(signByte(magnitude) + magnitude.count)
        position += 2
        if signByte(magnitude) == 1 {
            output[position] = 0
            position += 1
        }
        UnsafeMutableRawBufferPointer(rebasing: output[position...]).copyMemory(from: magnitude)
        position += magnitude.count
    }
}
