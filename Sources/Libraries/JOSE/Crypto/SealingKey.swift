internal import CLibcrypto

/// A symmetric key for values that others store: AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits.
///
/// A random nonce limits one key to 2^32 values.
public final class SealingKey: Sendable {
    private static let nonceSize = 12
    private static let tagSize = 16
    /// The number of bytes by which a sealed value is longer: the nonce before it and the tag after it.
    public static let overhead = nonceSize + tagSize

    private let bytes: [UInt8]

    /// Derives the key from a private key on an elliptic curve: HKDF-SHA256 (RFC 5869) of its number, without a salt.
    ///
    /// - Parameter label: The `info` of HKDF, one for each use of the private key.
    /// - Throws: `failed` for a private key of another type, and if libcrypto fails.
    public init(derivedFrom key: SigningKey, label: String) throws(SigningKeyError) {
        guard let number = key.secretNumber,
            let bytes = HKDFSHA256.derive(from: number, info: Array(label.utf8))
        else { throw .failed("derive a key from the private key") }
        self.bytes = bytes
    }

    /// Seals a value. `nil` if libcrypto fails.
    ///
    /// - Parameter context: The data to which the value is bound. Only the same context opens it.
    public func seal(_ value: [UInt8], context: [UInt8]) -> [UInt8]? {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<Self.nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        guard let sealed = run(value, nonce, context, &tag, seals: true) else { return nil }
        return nonce + sealed + tag
    }

    /// Opens a sealed value. `nil` unless it was sealed with this key and this context, and is unchanged.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.overhead else { return nil }
        var tag = Array(sealed.suffix(Self.tagSize))
        let value = Array(sealed.dropFirst(Self.nonceSize).dropLast(Self.tagSize))
        return run(value, Array(sealed.prefix(Self.nonceSize)), context, &tag, seals: false)
    }

    /// Encrypts and sets the tag, or decrypts and checks it.
    private func run(
        _ input: [UInt8], _ nonce: [UInt8], _ context: [UInt8], _ tag: inout [UInt8], seals: Bool
    ) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let count = Int32(exactly: input.count), let contextCount = Int32(exactly: context.count),
            let algorithm = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
        else { return nil }
        defer { EVP_CIPHER_free(algorithm) }
        guard let cipher = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(cipher) }
        var output = [UInt8](repeating: 0, count: input.count)
        // GCM writes no bytes at the end.
        var end = [UInt8](repeating: 0, count: Self.tagSize)
        var written: Int32 = 0
        let tagSize = Int32(Self.tagSize)
        guard EVP_CipherInit_ex2(cipher, algorithm, bytes, nonce, seals ? 1 : 0, nil) == 1,
            EVP_CipherUpdate(cipher, nil, &written, context, contextCount) == 1,
            EVP_CipherUpdate(cipher, &output, &written, input, count) == 1, written == count,
            seals || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, tagSize, &tag) == 1,
            EVP_CipherFinal_ex(cipher, &end, &written) == 1,
            !seals || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, tagSize, &tag) == 1
        else { return nil }
        return output
    }
}

extension SealingKey: CustomReflectable {
    /// A mirror without children, so that no dump shows the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
