/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
///
/// Decoding is strict, so that each value has exactly one encoding. It rejects `=`, `+`, `/`, whitespace, a length of
/// 4n + 1, and nonzero bits after the last byte.
public enum Base64URL {
    /// Decodes ASCII text. `nil` if it is not canonical base64url. Empty text decodes to empty bytes.
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

    /// Decodes an array like ``decode(_:)-(UnsafeRawBufferPointer)``.
    public static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.withUnsafeBytes { decode($0) }
    }

    /// Decodes a string's UTF-8 like ``decode(_:)-(UnsafeRawBufferPointer)``.
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

    /// Encodes `bytes` as a string.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: encodedLength(of: bytes.count)) { output in
            bytes.withUnsafeBytes { encode($0, to: output) }
            return encodedLength(of: bytes.count)
        }
    }

    /// Returns the number of characters in the encoding of `count` bytes.
    public static func encodedLength(of count: Int) -> Int {
        count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
    }
}

extension Base64URL {
    /// Every invalid character sets the top bit of its sextet, so one test after the loop detects them all.
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

    /// Encodes into `output`, which must have exactly the encoded length.
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

/// The sextet of each ASCII character; 0xFF for characters outside the alphabet. A literal, so that the compiler
/// emits constant data.
let sextets: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3E, 0xFF, 0xFF,
    0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
    0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F,
    0xFF, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
    0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x30, 0x31, 0x32, 0x33, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
]

/// The character of each sextet: `A`-`Z`, `a`-`z`, `0`-`9`, `-`, `_`.
let characters: [UInt8] = [
    0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50,
    0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
    0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76,
    0x77, 0x78, 0x79, 0x7A, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x2D, 0x5F,
]
