internal import CLibcrypto

/// A private key of libcrypto, owned.
///
/// `@unchecked Sendable`: the key is not changed after `init`, and libcrypto counts its references and guards its
/// blinding with locks of its own, so signing with one key on several threads is allowed.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// A fresh key; RSA keys have 2048 bits.
    static func generate(_ shape: KeyShape) throws(SigningKeyError) -> PrivateKey {
        defer { ERR_clear_error() }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, shape.typeName, nil) else {
            throw .failed("find the key type \(shape.typeName)")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, configure(context, for: shape),
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .failed("generate a key of type \(shape.typeName)") }
        return PrivateKey(owning: key)
    }

    private static func configure(_ context: OpaquePointer, for shape: KeyShape) -> Bool {
        switch shape {
        case .rsa: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1
        case .elliptic(let curve): EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1
        case .ed25519: true
        }
    }

    /// Reads the first private key of a PEM text; one that is encrypted is refused.
    init(pem: [UInt8]) throws(SigningKeyError) {
        defer { ERR_clear_error() }
        guard pem.count <= 65_536 else { throw .unreadable("the PEM text is longer than 64 KiB") }
        let key = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            // Without a callback an encrypted PEM would ask for a passphrase on the terminal.
            return PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key else { throw .unreadable("no unencrypted private key in PEM form was found") }
        pointer = key
    }

    /// Throws `unfit` unless the key has that shape and, for RSA, a size that verifiers take.
    func check(fits shape: KeyShape) throws(SigningKeyError) {
        guard EVP_PKEY_is_a(pointer, shape.typeName) == 1 else {
            throw .unfit("the key is not of the type \(shape.typeName)")
        }
        switch shape {
        case .rsa:
            guard (2048...8192).contains(EVP_PKEY_get_bits(pointer)) else {
                throw .unfit("the RSA key has fewer than 2048 or more than 8192 bits")
            }
        case .elliptic(let curve):
            guard groupName == curve.groupName else { throw .unfit("the key is not on the curve \(curve.rawValue)") }
        case .ed25519:
            break
        }
    }

    private var groupName: String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
        return String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The key as unencrypted PKCS#8 PEM.
    func pem() -> [UInt8] {
        OutputMemory.collect { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 } ?? []
    }
}
