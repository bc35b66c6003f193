/// The form in which path segments and pattern literals are compared.
///
/// A canonical path keeps escapes of reserved bytes, since `%40` and `@` may differ to a server. Most servers do not tell them
/// apart, though, so a literal `/@me` must not be slipped past as `/%40me`: for the comparison, escapes of visible ASCII
/// are decoded, except of bytes that cannot stand raw in a segment (`#`, `%`, `/`, `?`, `\`). What is forwarded is the path.
package enum SegmentKey {
    /// Writes the key of a canonical segment; `output` holds as many bytes. The count written comes back.
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

    /// The key of a canonical segment, as an array.
    package static func decode(_ segment: UnsafeRawBufferPointer) -> [UInt8] {
        Array(unsafeUninitializedCapacity: segment.count) { buffer, count in
            count = decode(segment, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// A hash that is equal for keys that differ only in ASCII case.
    ///
    /// It need not be seeded: requests only look up, so they can make no chain longer than the configured literals do.
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

    /// One round: xor, multiply by an odd constant (2^64 over the golden ratio), fold the high half down.
    @inline(__always)
    static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ (product >> 29)
    }
}
