internal import CLibcrypto

/// A key for values that others store: AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits.
///
/// Each context has an AES key of its own, derived by HKDF-SHA256 (RFC 5869). A random nonce limits one AES key to 2^32
/// values, so that the limit applies to the values of one context.
public final class SealingKey: Sendable {
    /// The number of bytes by which a sealed value is longer: the nonce before it and the tag after it.
    public static let overhead = AES256GCM.nonceSize + AES256GCM.tagSize

    /// The pseudorandom key of HKDF, from which the keys of all contexts are expanded.
    private let bytes: [UInt8]
    private let label: [UInt8]

    /// Derives the key from a private key on an elliptic curve: HKDF-SHA256 of its number, without a salt.
    ///
    /// - Parameter label: The beginning of the `info` of HKDF, one for each use of the private key, without NUL.
    /// - Throws: `failed` for a private key of another type, and if libcrypto fails.
    public init(derivedFrom key: SigningKey, label: String) throws(SigningKeyError) {
        guard let number = key.secretNumber, let bytes = HKDFSHA256.extract(from: number) else {
            throw .failed("derive a key from the private key")
        }
        self.bytes = bytes
        self.label = Array(label.utf8)
    }

    /// Derives the key from a secret: HKDF-SHA256 without a salt. `nil` if libcrypto fails.
    ///
    /// - Parameters:
    ///   - secret: At least 32 bytes that cannot be guessed.
    ///   - label: As for a private key.
    public init?(secret: [UInt8], label: String) {
        guard let bytes = HKDFSHA256.extract(from: secret) else { return nil }
        self.bytes = bytes
        self.label = Array(label.utf8)
    }

    /// Seals a value. `nil` if libcrypto fails.
    ///
    /// - Parameter context: The data to which the value is bound, as part of its key and as its associated data. Only
    ///   the same context opens it.
    public func seal(_ value: [UInt8], context: [UInt8]) -> [UInt8]? {
        key(for: context)?.seal(value, associatedData: context)
    }

    /// Opens a sealed value. `nil` unless it was sealed with this key and this context, and is unchanged.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        key(for: context)?.open(sealed, associatedData: context)
    }

    /// Returns the AES key of a context. The NUL after the label makes `info` unambiguous. `nil` if libcrypto fails.
    func key(for context: [UInt8]) -> AES256GCM? {
        HKDFSHA256.expand(bytes, info: label + [0] + context).map(AES256GCM.init)
    }
}

extension SealingKey: CustomReflectable {
    /// A mirror without children, so that no dump shows the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// AES-256-GCM with one key of 32 bytes.
struct AES256GCM {
    static let nonceSize = 12
    static let tagSize = 16

    let bytes: [UInt8]

    func seal(_ value: [UInt8], associatedData: [UInt8]) -> [UInt8]? {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<Self.nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        guard let sealed = run(value, nonce, associatedData, &tag, seals: true) else { return nil }
        return nonce + sealed + tag
    }

    func open(_ sealed: [UInt8], associatedData: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceSize + Self.tagSize else { return nil }
        var tag = Array(sealed.suffix(Self.tagSize))
        let value = Array(sealed.dropFirst(Self.nonceSize).dropLast(Self.tagSize))
        return run(value, Array(sealed.prefix(Self.nonceSize)), associatedData, &tag, seals: false)
    }

    /// Encrypts and sets the tag, or decrypts and checks it.
    private func run(
        _ input: [UInt8], _ nonce: [UInt8], _ associatedData: [UInt8], _ tag: inout [UInt8], seals: Bool
    ) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let count = Int32(exactly: input.count), let dataCount = Int32(exactly: associatedData.count),
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
            EVP_CipherUpdate(cipher, nil, &written, associatedData, dataCount) == 1,
            EVP_CipherUpdate(cipher, &output, &written, input, count) == 1, written == count,
            seals || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, tagSize, &tag) == 1,
            EVP_CipherFinal_ex(cipher, &end, &written) == 1,
            !seals || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, tagSize, &tag) == 1
        else { return nil }
        return output
    }
}
