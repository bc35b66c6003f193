internal import CLibcrypto

/// A public key that verifies signatures. Immutable and fit for use: weak or broken keys do not become one.
public final class PublicKey: Sendable {
    /// What sort of key it is.
    public enum Kind: Hashable, Sendable {
        /// RSA with a modulus of so many bits.
        case rsa(bits: Int)
        /// A point on an elliptic curve.
        case ec(EllipticCurve)
        /// Ed25519.
        case ed25519
    }

    /// The `kid` under which the key was published.
    public let keyID: String?
    /// What sort of key it is.
    public let kind: Kind
    /// What it may verify: the one algorithm that its publisher names, else all that suit the key.
    public let algorithms: Set<Algorithm>
    /// The SHA-256 of the key's required members (RFC 7638), 32 bytes.
    public let thumbprint: [UInt8]
    /// The `issuer` that the publisher names beside the key, as Microsoft does where several issuers share a set; nil: none.
    public let issuer: String?

    private let key: LibcryptoKey
    private let contexts = VerificationContextPool()

    /// Checks and takes over `material`; `declared` is the algorithm that the publisher names, if any.
    init(
        _ material: some KeyMaterial, keyID: String?, declared: Algorithm?, issuer: String? = nil
    ) throws(UnfitKey) {
        if let declared, !material.algorithms.contains(declared) {
            throw UnfitKey("\"alg\" \(declared.rawValue) does not suit the key")
        }
        guard let thumbprint = sha256(material.thumbprintInput) else { throw UnfitKey("no SHA-256 in libcrypto") }
        key = try material.makeKey()
        kind = material.kind
        algorithms = declared.map { [$0] } ?? material.algorithms
        self.keyID = keyID
        self.issuer = issuer
        self.thumbprint = thumbprint
    }

    /// Whether `signature`, as JWS spells it (RFC 7518 section 3), is one of `message` by `algorithm`.
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
