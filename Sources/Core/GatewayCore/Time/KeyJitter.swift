/// Random jitter (SplitMix64), so that gateways do not query one source at the same time.
///
/// It is seeded, so that a state machine that contains it is a pure function of its events. Not for secrets.
package struct KeyJitter: Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next number in `0..<1`.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(UInt64(1) << 53)
    }

    /// Returns a duration in `[least, greatest]`.
    package mutating func duration(from least: UInt64, through greatest: UInt64) -> UInt64 {
        guard greatest > least else { return least }
        return least + UInt64(Double(greatest - least) * next())
    }
}
