internal import CLibcrypto

/// An owned private key of libcrypto.
///
/// `@unchecked Sendable`: the key does not change after `init`. libcrypto counts its references and guards its
/// blinding with locks, so several threads can sign with one key.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Generates a key. RSA keys have 2048 bits.
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

    /// Reads the first private key of a PEM text. An encrypted key is rejected.
    init(pem: [UInt8]) throws(SigningKeyError) {
        defer { ERR_clear_error() }
        guard pem.count <= 65_536 else { throw .unreadable("the PEM text is longer than 64 KiB") }
        let key = pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            // Without a callback, libcrypto prompts on the terminal for the passphrase of an encrypted PEM.
            return PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key else { throw .unreadable("no unencrypted private key in PEM form was found") }
        pointer = key
    }

    /// Throws `unfit` unless the key has that shape and, for RSA, a size that verifiers accept.
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

    /// Returns the key as unencrypted PKCS#8 PEM.
    func pem() -> [UInt8] {
        OutputMemory.collect { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 } ?? []
    }
}

/// The type of private key for an algorithm.
enum KeyShape: Equatable {
    case rsa
    case elliptic(EllipticCurve)
    case ed25519

    init(for algorithm: Algorithm) {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: self = .rsa
        case .es256: self = .elliptic(.p256)
        case .es384: self = .elliptic(.p384)
        case .es512: self = .elliptic(.p521)
        case .edDSA: self = .ed25519
        }
    }

    /// libcrypto's name of the key type.
    var typeName: String {
        switch self {
        case .rsa: "RSA"
        case .elliptic: "EC"
        case .ed25519: "ED25519"
        }
    }
}

extension EllipticCurve {
    /// libcrypto's name of the curve.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }
}

/// Conversion of libcrypto's numbers to big-endian bytes.
enum BigEndian {
    /// Returns the number in exactly `count` bytes, padded with zeros. `nil` if it does not fit.
    static func bytes(_ number: OpaquePointer?, count: Int) -> [UInt8]? {
        guard let number else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) ? bytes : nil
    }

    /// Returns the number without padding.
    static func bytes(_ number: OpaquePointer) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}

/// A memory BIO that libcrypto writes to.
enum OutputMemory {
    /// Returns the bytes that `write` wrote to the BIO. `nil` if it failed.
    static func collect(_ write: (OpaquePointer) -> Bool) -> [UInt8]? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard write(bio) else { return nil }
        let count = BIO_ctrl_pending(bio)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(count))))
        }
    }
}
