internal import CLibcrypto

/// The key of a WebSocket handshake and its accept value (RFC 6455 section 4.2.2).
public enum WebSocketKey {
    /// Returns whether a value of `Sec-WebSocket-Key` is the canonical base64 of 16 bytes.
    public static func isValid(_ key: UnsafeRawBufferPointer) -> Bool {
        guard key.count == 24, let text = key.bindMemory(to: UInt8.self).baseAddress else { return false }
        var bytes = [UInt8](repeating: 0, count: 18)
        // libcrypto counts padding as two more bytes. The comparison rejects non-canonical text.
        return EVP_DecodeBlock(&bytes, text, 24) == 18 && base64(Array(bytes[..<16])).elementsEqual(key)
    }

    /// Returns the value of `Sec-WebSocket-Accept` for a key. Empty, which no server sends, if libcrypto has no SHA-1.
    public static func accept(_ key: UnsafeRawBufferPointer) -> [UInt8] {
        let text = Array(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8
        var digest = [UInt8](repeating: 0, count: 20)
        return SHA1(text, text.count, &digest) == nil ? [] : base64(digest)
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        // libcrypto appends a NUL.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return Array(text.prefix(Int(count)))
    }
}
