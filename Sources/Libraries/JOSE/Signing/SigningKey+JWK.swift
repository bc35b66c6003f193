internal import CLibcrypto

extension SigningKey {
    /// The public key as a JWK (RFC 7517) with `alg`, `kid` and `use`; it holds nothing private.
    public var jwk: String {
        var text = Array("{".utf8)
        for (name, value) in publicMembers + [("alg", algorithm.rawValue), ("kid", keyID), ("use", "sig")] {
            JSONWriter.appendName(name, to: &text)
            JSONWriter.appendString(value, to: &text)
        }
        return String(decoding: text, as: UTF8.self) + "}"
    }

    /// The members that make up the key (RFC 7518 section 6, RFC 8037 section 2).
    var publicMembers: [(name: String, value: String)] {
        switch shape {
        case .rsa:
            [("kty", "RSA"), ("n", number("n")), ("e", number("e"))]
        case .elliptic(let curve):
            [
                ("kty", "EC"), ("crv", curve.rawValue),
                ("x", number("qx", count: curve.width)), ("y", number("qy", count: curve.width)),
            ]
        case .ed25519:
            [("kty", "OKP"), ("crv", "Ed25519"), ("x", rawPublicKey)]
        }
    }

    private func number(_ name: String, count: Int? = nil) -> String {
        var value: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key.pointer, name, &value) == 1, let value else { return "" }
        defer { BN_free(value) }
        let bytes = count.map { BigEndian.bytes(value, count: $0) } ?? BigEndian.bytes(value)
        return Base64URL.encode(bytes ?? [])
    }

    private var rawPublicKey: String {
        var bytes = [UInt8](repeating: 0, count: 32)
        var length = bytes.count
        guard EVP_PKEY_get_raw_public_key(key.pointer, &bytes, &length) == 1 else { return "" }
        return Base64URL.encode(Array(bytes.prefix(length)))
    }
}
