internal import CLibcrypto

/// An owned certificate of libcrypto.
final class X509Certificate {
    private let pointer: OpaquePointer

    /// Reads the first certificate of a PEM text.
    init(pem: String) throws(UnfitKey) {
        let text = [UInt8](pem.utf8)
        guard let pointer = Self.read(text) else { throw UnfitKey("certificate cannot be read") }
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }

    /// Returns the RSA key of the certificate. Throws if it is not valid at `now`, in seconds since 1970.
    func rsaKey(validAt now: Int64) throws(UnfitKey) -> RSAMaterial {
        defer { ERR_clear_error() }
        var time = time_t(now)
        // X509_cmp_time returns 0 for an unreadable date.
        guard X509_cmp_time(X509_get0_notBefore(pointer), &time) < 0 else {
            throw UnfitKey("certificate is not yet valid")
        }
        guard X509_cmp_time(X509_get0_notAfter(pointer), &time) > 0 else { throw UnfitKey("certificate has expired") }
        guard let key = X509_get0_pubkey(pointer), EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
            throw UnfitKey("certificate key is not RSA")
        }
        guard let modulus = Self.number(RSA_MODULUS_PARAMETER, of: key),
            let exponent = Self.number(RSA_EXPONENT_PARAMETER, of: key)
        else { throw UnfitKey("certificate key cannot be read") }
        return RSAMaterial(modulus: modulus, exponent: exponent)
    }

    private static func read(_ text: [UInt8]) -> OpaquePointer? {
        defer { ERR_clear_error() }
        return text.withUnsafeBytes { bytes in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            // Without a callback, libcrypto prompts on the terminal for the passphrase of an encrypted PEM.
            return PEM_read_bio_X509(memory, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    private static func number(_ name: UnsafePointer<CChar>, of key: OpaquePointer) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}
