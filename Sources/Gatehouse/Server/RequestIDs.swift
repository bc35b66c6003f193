/// Makes request and trace ids: 128 bits from a generator seeded by the system (xoshiro256**). They name requests; they are no secrets.
struct RequestIDs {
    private var s0: UInt64
    private var s1: UInt64
    private var s2: UInt64
    private var s3: UInt64

    init() {
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
    mutating func nextPair() -> (UInt64, UInt64) { (next(), next() | 1) }
}

/// Lower-case hexadecimal digits of 64 bits.
enum Hexadecimal {
    @inline(__always)
    static func write(_ value: UInt64, to output: UnsafeMutableRawPointer) {
        for index in 0..<16 {
            let nibble = UInt8(truncatingIfNeeded: value &>> UInt64(60 - index * 4)) & 0xf
            output.storeBytes(of: nibble < 10 ? nibble &+ 0x30 : nibble &+ 0x57, toByteOffset: index, as: UInt8.self)
        }
    }
}
