/// A random sequence that depends only on the input: a run can be repeated.
package struct InputSeed: RandomNumberGenerator {
    private var state: UInt64

    /// Starts with the FNV-1a hash of the input.
    package init(_ input: UnsafeRawBufferPointer) {
        state = input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
