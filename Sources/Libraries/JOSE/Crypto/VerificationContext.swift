internal import CLibcrypto
import Synchronization

/// libcrypto's state for verifying signatures with one RSA or ECDSA key and one algorithm.
///
/// Its initialization takes several microseconds, so it is reused. Not thread-safe: ``VerificationContextPool`` lends
/// it.
final class VerificationContext {
    let algorithm: Algorithm
    /// Retained because the context uses it.
    private let key: LibcryptoKey
    private let context: OpaquePointer
    private let digest: Digest

    /// Creates a context. `nil` if libcrypto rejects the algorithm for the key.
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

    /// Returns whether the signature (DER for ECDSA) is valid for `message`.
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

/// A lock-free pool of the verification contexts of one key.
///
/// Each of a few slots is emptied and filled by one atomic operation, so no thread waits. A thread that finds no
/// context creates one; a context without a free slot is released.
///
/// `@unchecked Sendable`: contexts are not thread-safe, but a context is used only after it was removed from its
/// slot, so by one thread.
final class VerificationContextPool: @unchecked Sendable {
    private typealias Slot = Atomic<Unmanaged<VerificationContext>?>

    private let first = Slot(nil)
    private let second = Slot(nil)
    private let third = Slot(nil)
    private let fourth = Slot(nil)

    init() {}

    deinit {
        first.exchange(nil, ordering: .acquiring)?.release()
        second.exchange(nil, ordering: .acquiring)?.release()
        third.exchange(nil, ordering: .acquiring)?.release()
        fourth.exchange(nil, ordering: .acquiring)?.release()
    }

    /// Calls `body` with a context of `key` and `algorithm` for exclusive use. `nil` if none can be created.
    func withContext<R>(
        of key: LibcryptoKey, _ algorithm: Algorithm, _ body: (VerificationContext) -> R
    ) -> R? {
        guard let context = take(algorithm) ?? VerificationContext(key: key, algorithm: algorithm) else { return nil }
        defer { put(context) }
        return body(context)
    }

    /// Removes a context from the pool. A context of another algorithm is released.
    private func take(_ algorithm: Algorithm) -> VerificationContext? {
        let taken = take(first) ?? take(second) ?? take(third) ?? take(fourth)
        guard let context = taken?.takeRetainedValue(), context.algorithm == algorithm else { return nil }
        return context
    }

    private func put(_ context: VerificationContext) {
        let kept = Unmanaged.passRetained(context)
        guard !put(kept, first), !put(kept, second), !put(kept, third), !put(kept, fourth) else { return }
        kept.release()
    }

    private func take(_ slot: borrowing Slot) -> Unmanaged<VerificationContext>? {
        slot.exchange(nil, ordering: .acquiring)
    }

    private func put(_ context: Unmanaged<VerificationContext>, _ slot: borrowing Slot) -> Bool {
        slot.compareExchange(expected: nil, desired: context, ordering: .releasing).exchanged
    }
}
