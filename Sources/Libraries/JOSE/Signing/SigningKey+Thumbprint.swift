extension SigningKey {
    /// Reads an unencrypted private key as ``init(pem:algorithm:keyID:)`` does, and names it by its thumbprint (RFC 7638) in
    /// base64url: a `kid` that nobody has to choose, and that two keys do not share.
    public init(pem: [UInt8], algorithm: Algorithm) throws(SigningKeyError) {
        let key = try SigningKey(pem: pem, algorithm: algorithm, keyID: "")
        guard let thumbprint = key.thumbprint else { throw .failed("hash the key") }
        self.init(key: key.key, algorithm: algorithm, keyID: Base64URL.encode(thumbprint))
    }

    /// The SHA-256 of the public key's required members, 32 bytes (RFC 7638 section 3); nil when libcrypto fails.
    public var thumbprint: [UInt8]? {
        var text = Array("{".utf8)
        for (name, value) in publicMembers.sorted(by: { $0.name < $1.name }) {
            JSONWriter.appendName(name, to: &text)
            JSONWriter.appendString(value, to: &text)
        }
        return sha256(text + [UInt8(ascii: "}")])
    }
}
