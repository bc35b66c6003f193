/// The key of a WebSocket handshake, and what answers it (RFC 6455 section 4.2.2).
public enum WebSocketKey {
    /// How long the answer is, in bytes.
    public static let acceptLength = 28

    /// Whether a value of `Sec-WebSocket-Key` is the base64 of 16 bytes.
    public static func isValid(_ key: UnsafeRawBufferPointer) -> Bool {
        guard key.count == 24, key[22] == UInt8(ascii: "="), key[23] == UInt8(ascii: "=") else { return false }
        guard key[..<22].allSatisfy({ value(of: $0) != nil }), let last = value(of: key[21]) else { return false }
        // 22 digits hold 132 bits: the last four are none of the key's.
        return last & 0x0F == 0
    }

    /// The value of `Sec-WebSocket-Accept` that is right for a key.
    public static func accept(_ key: UnsafeRawBufferPointer) -> [UInt8] {
        base64(SHA1.digest(of: Array(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of digit: UInt8) -> UInt8? {
        digits.firstIndex(of: digit).map { UInt8(truncatingIfNeeded: $0) }
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let digit = digits[Int(bits >> UInt32(18 - 6 * place) & 0x3F)]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return text
    }
}
