/// A generator of request and trace IDs: 128 bits from xoshiro256**, seeded by the system. The IDs are not secret.
package struct RequestIDs {
    private var s0: UInt64
    private var s1: UInt64
    private var s2: UInt64
    private var s3: UInt64

    package init() {
        var system = SystemRandomNumberGenerator()
        s0 = system.next()
        s1 = system.next()
        s2 = system.next()
        s3 = system.next() | 1
    }

    mutating func next() -> UInt64 {
        let product = s1 &* 5
        let result = (product &<< 7 | product &>> 57) &* 9
        let shifted = s1 &<< 17
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = s3 &<< 45 | s3 &>> 19
        return result
    }

    /// Returns a pair that is not zero, as W3C Trace Context requires.
    package mutating func nextPair() -> (UInt64, UInt64) { (next(), next() | 1) }
}

/// The lower-case hexadecimal form of 64-bit values.
package enum Hexadecimal {
    /// Returns 32 lower-case digits.
    package static func text(of value: (UInt64, UInt64)) -> String {
        String(unsafeUninitializedCapacity: 32) { digits in
            guard let base = UnsafeMutableRawPointer(digits.baseAddress) else { return 0 }
            write(value.0, to: base)
            write(value.1, to: base + 16)
            return 32
        }
    }

    @inline(__always)
    package static func write(_ value: UInt64, to output: UnsafeMutableRawPointer) {
        output.storeBytes(of: digits(UInt32(truncatingIfNeeded: value &>> 32)), as: UInt64.self)
        output.storeBytes(of: digits(UInt32(truncatingIfNeeded: value)), toByteOffset: 8, as: UInt64.self)
    }

    /// Returns the eight digits of 32 bits as bytes in memory order. Each step spreads the halves further apart,
    /// without a loop.
    @inline(__always)
    private static func digits(_ value: UInt32) -> UInt64 {
        var nibbles = UInt64(value.byteSwapped)
        nibbles = (nibbles | nibbles &<< 16) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles | nibbles &<< 8) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles &>> 4 | nibbles &<< 8) & 0x0f0f_0f0f_0f0f_0f0f
        // 1 in each byte whose nibble is a letter, whose ASCII code is another 0x27 higher.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
        return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).littleEndian
    }
}
