/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, as RFC 7515 section 2 uses it).
///
/// Decoding is strict, so that one value has exactly one spelling: `=`, `+`, `/`, whitespace, a length of 4n + 1 and
/// bits set past the last byte are all refused.
public enum Base64URL {
    /// The bytes that `bytes`, ASCII text, stands for; nil when it is not canonical base64url. Empty text is empty bytes.
    public static func decode(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        let remainder = bytes.count & 3
        guard remainder != 1 else { return nil }
        let whole = bytes.count & ~3
        let size = whole / 4 * 3 + (remainder == 0 ? 0 : remainder - 1)
        var isValid = true
        let decoded = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            isValid = decodeQuartets(bytes, upTo: whole, into: output)
            isValid = decodeTail(bytes, from: whole, into: output) && isValid
            count = size
        }
        return isValid ? decoded : nil
    }

    /// As ``decode(_:)-(UnsafeRawBufferPointer)``, of an array.
    public static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.withUnsafeBytes { decode($0) }
    }

    /// As ``decode(_:)-(UnsafeRawBufferPointer)``, of a string's UTF-8.
    public static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the encoding of `bytes` to `output`.
    public static func encode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: encodedLength(of: bytes.count)))
        output.withUnsafeMutableBufferPointer { whole in
            encode(bytes, to: UnsafeMutableBufferPointer(rebasing: whole[start...]))
        }
    }

    /// Appends the encoding of `bytes` to `output`.
    public static func encode(_ bytes: [UInt8], into output: inout [UInt8]) {
        bytes.withUnsafeBytes { encode($0, into: &output) }
    }

    /// The encoding of `bytes` as a string.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: encodedLength(of: bytes.count)) { output in
            bytes.withUnsafeBytes { encode($0, to: output) }
            return encodedLength(of: bytes.count)
        }
    }

    /// How many characters `count` bytes are encoded as.
    public static func encodedLength(of count: Int) -> Int {
        count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
    }
}

extension Base64URL {
    /// Every invalid character sets the top bit of its sextet, so one test after the loop finds them all.
    private static func decodeQuartets(
        _ input: UnsafeRawBufferPointer, upTo end: Int, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        sextets.withUnsafeBufferPointer { table in
            var seen: UInt8 = 0
            var written = 0
            var read = 0
            while read < end {
                let a = table[Int(input[read])]
                let b = table[Int(input[read &+ 1])]
                let c = table[Int(input[read &+ 2])]
                let d = table[Int(input[read &+ 3])]
                seen |= a | b | c | d
                output[written] = a &<< 2 | b &>> 4
                output[written &+ 1] = b &<< 4 | c &>> 2
                output[written &+ 2] = c &<< 6 | d
                read &+= 4
                written &+= 3
            }
            return seen & 0x80 == 0
        }
    }

    private static func decodeTail(
        _ input: UnsafeRawBufferPointer, from start: Int, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let written = start / 4 * 3
        guard start < input.count else { return true }
        let a = sextets[Int(input[start])]
        let b = sextets[Int(input[start + 1])]
        output[written] = a &<< 2 | b &>> 4
        guard start + 2 < input.count else { return (a | b) & 0x80 == 0 && b & 0x0F == 0 }
        let c = sextets[Int(input[start + 2])]
        output[written + 1] = b &<< 4 | c &>> 2
        return (a | b | c) & 0x80 == 0 && c & 0x03 == 0
    }

    /// `output` has exactly the encoded length.
    private static func encode(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableBufferPointer<UInt8>) {
        characters.withUnsafeBufferPointer { table in
            var read = 0
            var written = 0
            while read &+ 2 < input.count {
                let (a, b, c) = (input[read], input[read &+ 1], input[read &+ 2])
                output[written] = table[Int(a &>> 2)]
                output[written &+ 1] = table[Int((a &<< 4 | b &>> 4) & 0x3F)]
                output[written &+ 2] = table[Int((b &<< 2 | c &>> 6) & 0x3F)]
                output[written &+ 3] = table[Int(c & 0x3F)]
                read &+= 3
                written &+= 4
            }
            guard read < input.count else { return }
            let a = input[read]
            let b = read + 1 < input.count ? input[read + 1] : 0
            output[written] = table[Int(a &>> 2)]
            output[written + 1] = table[Int((a &<< 4 | b &>> 4) & 0x3F)]
            if read + 1 < input.count { output[written + 2] = table[Int((b &<< 2) & 0x3F)] }
        }
    }
}
