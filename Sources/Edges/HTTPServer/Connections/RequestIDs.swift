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
