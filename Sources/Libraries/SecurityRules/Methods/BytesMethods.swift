internal import TextCoding

enum BytesMethods {
    static func call(_ builtin: Builtin, on bytes: [UInt8], _ work: inout WorkBudget) throws(RuleFailure) -> RuleValue {
        switch builtin {
        case .size: return .integer(Int64(bytes.count))
        case .toHexString:
            try work.take(bytes.count)
            return .string(hex(bytes))
        case .toBase64:
            try work.take(bytes.count)
            return .string(base64url(bytes))
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// Returns two upper-case digits for each byte.
    private static func hex(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[index * 2] = HexDigits.upperCase(byte >> 4)
                text[index * 2 + 1] = HexDigits.upperCase(byte)
            }
            return bytes.count * 2
        }
    }

    /// Encodes base64url (RFC 4648 section 5) with padding, which section 3.2 requires by default.
    private static func base64url(_ bytes: [UInt8]) -> String {
        let digits: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                let digit = digits.utf8Start[bits >> (18 - 6 * place) & 63]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
