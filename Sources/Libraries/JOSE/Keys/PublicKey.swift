internal import CLibcrypto

/// An immutable public key for verifying signatures. Weak and invalid keys cannot be created.
public final class PublicKey: Sendable {
    /// The type of a key.
    public enum Kind: Hashable, Sendable {
        /// RSA with a modulus of this many bits.
        case rsa(bits: Int)
        /// A point on an elliptic curve.
        case ec(EllipticCurve)
        /// Ed25519.
        case ed25519
    }

    /// The `kid` under which the key was published.
    public let keyID: String?
    /// The type of the key.
    public let kind: Kind
    /// The permitted algorithms: the one that the publisher declares, otherwise all that suit the key.
    public let algorithms: Set<Algorithm>
    /// The SHA-256 of the key's required members (RFC 7638), 32 bytes.
    public let thumbprint: [UInt8]
    /// The `issuer` that the publisher declares for the key, as Microsoft does in a set that issuers share. `nil` if
    /// absent.
    public let issuer: String?

    private let key: LibcryptoKey
    private let contexts = VerificationContextPool()

    /// Checks and imports `material`. `declared` is the algorithm that the publisher declares, if any.
    init(
        _ material: some KeyMaterial, keyID: String?, declared: Algorithm?, issuer: String? = nil
    ) throws(UnfitKey) {
        if let declared, !material.algorithms.contains(declared) {
            throw UnfitKey("\"alg\" \(declared.rawValue) does not match the key type")
        }
        guard let thumbprint = sha256(material.thumbprintInput) else { throw UnfitKey("no SHA-256 in libcrypto") }
        key = try material.makeKey()
        kind = material.kind
        algorithms = declared.map { [$0] } ?? material.algorithms
        self.keyID = keyID
        self.issuer = issuer
        self.thumbprint = thumbprint
    }

    /// Returns whether `signature`, in the form of JWS (RFC 7518 section 3), is valid for `message` with `algorithm`.
    func isValid(signature: [UInt8], of message: [UInt8], by algorithm: Algorithm) -> Bool {
        guard algorithms.contains(algorithm) else { return false }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { isValid(signature, of: $0, by: algorithm) }
        }
    }

    private func isValid(
        _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, by algorithm: Algorithm
    ) -> Bool {
        switch kind {
        case .rsa(let bits):
            guard signature.count == (bits + 7) / 8 else { return false }
            return isValidInContext(signature, of: message, by: algorithm)
        case .ec(let curve):
            return ECDSASignature.withDER(of: signature, width: curve.width) { der in
                isValidInContext(der, of: message, by: algorithm)
            } ?? false
        case .ed25519:
            return Ed25519.isValid(signature: signature, of: message, key: key)
        }
    }

    private func isValidInContext(
        _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, by algorithm: Algorithm
    ) -> Bool {
        contexts.withContext(of: key, algorithm) { $0.isValid(signature: signature, of: message) } ?? false
    }
}
