internal import JOSE

/// HMAC (RFC 2104) with SHA-256.
enum HMACSHA256 {
    static func authenticate(_ message: [UInt8], secret: [UInt8]) throws(DevelopmentIdentityError) -> [UInt8] {
        var key = secret.count > 64 ? try hash(secret) : secret
        key.append(contentsOf: repeatElement(0, count: 64 - key.count))
        let inner = try hash(key.map { $0 ^ 0x36 } + message)
        return try hash(key.map { $0 ^ 0x5C } + inner)
    }

    private static func hash(_ bytes: [UInt8]) throws(DevelopmentIdentityError) -> [UInt8] {
        guard let digest = SHA256Hasher()?.hash(bytes) else {
            throw DevelopmentIdentityError(.keys, "libcrypto has no SHA-256")
        }
        return digest.bytes
    }
}
