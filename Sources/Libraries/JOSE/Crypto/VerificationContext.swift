internal import CLibcrypto

/// libcrypto's state for verifying many signatures with one key and one algorithm, RSA or ECDSA.
///
/// To set it up costs several microseconds, so it is kept. For one thread at a time: ``VerificationContextPool`` lends it.
final class VerificationContext {
    let algorithm: Algorithm
    /// Held because the context uses it.
    private let key: LibcryptoKey
    private let context: OpaquePointer
    private let digest: Digest

    /// Nil when libcrypto refuses the algorithm for the key.
    init?(key: LibcryptoKey, algorithm: Algorithm) {
        guard let name = algorithm.digestName, let digest = Digest(name) else { return nil }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return nil }
        guard EVP_PKEY_verify_init(context) == 1, Self.configure(context, for: algorithm, digest: digest.handle) else {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        self.algorithm = algorithm
        self.key = key
        self.digest = digest
        self.context = context
    }

    deinit {
        EVP_PKEY_CTX_free(context)
    }

    /// Whether `signature`, as libcrypto takes it (DER for ECDSA), is one of `message`.
    func isValid(signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digest.size) { hash in
            guard let hashed = hash.baseAddress, digest.hash(message, to: hashed) else { return false }
            let bytes = signature.assumingMemoryBound(to: UInt8.self)
            if EVP_PKEY_verify(context, bytes.baseAddress, bytes.count, hashed, digest.size) == 1 { return true }
            ERR_clear_error()
            return false
        }
    }

    private static func configure(_ context: OpaquePointer, for algorithm: Algorithm, digest: OpaquePointer) -> Bool {
        guard EVP_PKEY_CTX_set_signature_md(context, digest) == 1 else { return false }
        switch algorithm {
        case .rs256, .rs384, .rs512: return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .ps256, .ps384, .ps512:
            return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        case .es256, .es384, .es512: return true
        case .edDSA: return false
        }
    }
}
