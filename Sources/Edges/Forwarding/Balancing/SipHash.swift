/// SipHash-1-3 of bytes under a 128-bit key (Aumasson and Bernstein, 2012).
struct SipHash: Sendable {
    private let key: (UInt64, UInt64)

    init(key: (UInt64, UInt64)) {
        self.key = key
    }

    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(key)
        let whole = bytes.count & ~7
        for offset in stride(from: 0, to: whole, by: 8) {
            state.take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        for offset in whole..<bytes.count { last |= UInt64(bytes[offset]) << UInt64((offset - whole) * 8) }
        state.take(last)
        return state.finish()
    }

    func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736f_6d65_7073_6575
            v1 = key.1 ^ 0x646f_7261_6e64_6f6d
            v2 = key.0 ^ 0x6c79_6765_6e65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xff
            for _ in 0..<3 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = (v1 << 13 | v1 >> 51) ^ v0
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = (v3 << 16 | v3 >> 48) ^ v2
            v0 &+= v3
            v3 = (v3 << 21 | v3 >> 43) ^ v0
            v2 &+= v1
            v1 = (v1 << 17 | v1 >> 47) ^ v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}

extension UInt64 {
    /// Mixes all bits (the finalizer of SplitMix64).
    var mixed: UInt64 {
        var value = self &+ 0x9e37_79b9_7f4a_7c15
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}
