internal import JOSE

/// Identifiers that look random but are the same in every run.
enum StableID {
    /// Returns bytes that depend only on the seed.
    static func bytes(_ count: Int, of seed: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for block in 0..<(count + 7) / 8 {
            var mixed = FNV1a.checksum(Array("\(seed)#\(block)".utf8))
            // FNV produces similar values for similar inputs; this is the finalizer of SplitMix64.
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            mixed ^= mixed >> 31
            withUnsafeBytes(of: mixed.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    /// Returns `count` characters of an alphabet.
    static func characters(_ count: Int, from alphabet: String, of seed: String) -> String {
        let alphabet = Array(alphabet)
        return String(bytes(count, of: seed).map { alphabet[Int($0) % alphabet.count] })
    }

    /// Returns lower-case hexadecimal digits.
    static func hex(_ count: Int, of seed: String) -> String {
        characters(count, from: "0123456789abcdef", of: seed)
    }

    /// Returns decimal digits. The first one is not zero.
    static func digits(_ count: Int, of seed: String) -> String {
        characters(1, from: "123456789", of: seed + "first") + characters(count - 1, from: "0123456789", of: seed)
    }

    /// Returns a GUID in lower case, in the form of random ones.
    static func guid(of seed: String) -> String {
        let digits = hex(30, of: seed)
        var parts: [Substring] = []
        var rest = digits[...]
        for (count, prefix) in [(8, ""), (4, ""), (3, "4"), (3, "8"), (12, "")] {
            parts.append(prefix + rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return parts.joined(separator: "-")
    }

    /// Returns the base64url text of `count` bytes, without padding.
    static func base64URL(bytes count: Int, of seed: String) -> String {
        Base64URL.encode(bytes(count, of: seed))
    }
}
