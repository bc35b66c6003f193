internal import CLibcrypto

/// HMAC (RFC 2104) with SHA-256.
public enum HMACSHA256 {
    /// Returns the authentication code of a message, 32 bytes. `nil` if libcrypto fails.
    public static func authenticate(_ message: [UInt8], secret: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        // HMAC pads the key with zeros, so that this key equals the empty one, which libcrypto cannot represent.
        let secret = secret.isEmpty ? [0] : secret
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        let isDone =
            EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, secret, secret.count, message, message.count, &code, code.count, &count
            ) != nil
        return isDone && count == code.count ? code : nil
    }
}

/// HKDF (RFC 5869) with SHA-256.
enum HKDFSHA256 {
    /// Returns the pseudorandom key of key material. `nil` if libcrypto fails.
    static func extract(from material: [UInt8], salt: [UInt8] = []) -> [UInt8]? {
        HMACSHA256.authenticate(material, secret: salt)
    }

    /// Returns the first 32 bytes of the output for a pseudorandom key and `info`. `nil` if libcrypto fails.
    static func expand(_ key: [UInt8], info: [UInt8]) -> [UInt8]? {
        HMACSHA256.authenticate(info + [1], secret: key)
    }
}
