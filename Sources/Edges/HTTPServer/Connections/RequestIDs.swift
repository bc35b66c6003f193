/// Makes request and trace ids: 128 bits from a generator seeded by the system (xoshiro256**). They name requests; they are no secrets.
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

    /// A pair that is not zero, as W3C trace context asks of trace ids.
    package mutating func nextPair() -> (UInt64, UInt64) { (next(), next() | 1) }
}

/// Lower-case hexadecimal digits of 64 bits.
package enum Hexadecimal {
    /// 32 lower-case digits.
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

    /// The eight digits of 32 bits as eight bytes in memory order, without a loop: each step spreads the halves further apart.
    @inline(__always)
    private static func digits(_ value: UInt32) -> UInt64 {
        var nibbles = UInt64(value.byteSwapped)
        nibbles = (nibbles | nibbles &<< 16) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles | nibbles &<< 8) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles &>> 4 | nibbles &<< 8) & 0x0f0f_0f0f_0f0f_0f0f
        // 1 in each byte whose nibble is a letter: they lie 0x27 further than the digits.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
        return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).littleEndian
    }
}
