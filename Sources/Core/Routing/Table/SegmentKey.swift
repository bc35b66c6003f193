/// The form in which path segments and pattern literals are compared.
///
/// A canonical path keeps escapes of reserved bytes, since `%40` and `@` may differ for a server. Most servers treat
/// them as equal, so a request for `/%40me` must not bypass a literal `/@me`. For the comparison, escapes of visible
/// ASCII are decoded, except for bytes that are not valid in a segment (`#`, `%`, `/`, `?`, `\`). The path is
/// forwarded unchanged.
package enum SegmentKey {
    /// Writes the key of a canonical segment to `output`, which must have room for as many bytes. Returns the size of
    /// the key.
    static func decode(_ segment: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
        var read = 0
        var written = 0
        while read < segment.count {
            if segment[read] == PathBytes.percent, let value = PathBytes.escape(in: segment, at: read),
                PathBytes.isPlain(value)
            {
                output[written] = value
                read += 3
            } else {
                output[written] = segment[read]
                read += 1
            }
            written += 1
        }
        return written
    }

    /// Returns the key of a canonical segment as an array.
    package static func decode(_ segment: UnsafeRawBufferPointer) -> [UInt8] {
        Array(unsafeUninitializedCapacity: segment.count) { buffer, count in
            count = decode(segment, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Returns a hash that is equal for keys that differ only in ASCII case.
    ///
    /// It needs no seed: requests cannot insert keys, so the configured literals determine the probe lengths.
    @inline(__always)
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt32 {
        let fold: UInt64 = 0x2020_2020_2020_2020
        var state = UInt64(truncatingIfNeeded: key.count)
        var index = 0
        while index + 8 <= key.count {
            state = mix(state, key.loadUnaligned(fromByteOffset: index, as: UInt64.self) | fold)
            index += 8
        }
        var rest: UInt64 = 0
        while index < key.count {
            rest = rest << 8 | UInt64(key[index])
            index += 1
        }
        state = mix(state, rest | fold)
        return UInt32(truncatingIfNeeded: state >> 32)
    }

    /// Performs one round: xor, multiplication by an odd constant (2^64 divided by the golden ratio), and folding of
    /// the high half.
    @inline(__always)
    static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ (product >> 29)
    }
}
