internal import CLibcrypto

extension SigningKey {
    /// A self-signed X.509 v3 certificate of the public key, as PEM: the form of Google's `{kid: certificate}` maps.
    ///
    /// - Parameters:
    ///   - commonName: subject and issuer, 1 to 64 bytes.
    ///   - notBefore: seconds since 1970 from when the certificate is valid.
    ///   - notAfter: seconds since 1970 until when it is.
    /// - Throws: `failed` where libcrypto refuses the name or a time.
    public func certificatePEM(
        commonName: String, notBefore: Int64, notAfter: Int64
    ) throws(SigningKeyError) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let certificate = X509_new() else { throw .failed("make a certificate") }
        defer { X509_free(certificate) }
        guard
            X509_set_version(certificate, 2) == 1, setSerial(certificate), setName(certificate, commonName),
            setValidity(certificate, notBefore, notAfter), X509_set_pubkey(certificate, key.pointer) == 1,
            X509_sign(certificate, key.pointer, algorithm.digestName.flatMap { EVP_get_digestbyname($0) }) > 0,
            let pem = OutputMemory.collect({ PEM_write_bio_X509($0, certificate) == 1 })
        else { throw .failed("make a certificate for \(commonName)") }
        return pem
    }

    /// 63 random bits, never negative (RFC 5280 section 4.1.2.2).
    private func setSerial(_ certificate: OpaquePointer) -> Bool {
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max))) == 1
    }

    private func setName(_ certificate: OpaquePointer, _ commonName: String) -> Bool {
        // MBSTRING_UTF8: the macro is an expression that the importer does not see.
        let utf8: Int32 = 0x1000
        let bytes = Array(commonName.utf8)
        guard (1...64).contains(bytes.count), let name = X509_get_subject_name(certificate) else { return false }
        return X509_NAME_add_entry_by_txt(name, "CN", utf8, bytes, Int32(bytes.count), -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
    }

    private func setValidity(_ certificate: OpaquePointer, _ notBefore: Int64, _ notAfter: Int64) -> Bool {
        guard let start = ASN1_TIME_set(nil, Int(notBefore)) else { return false }
        defer { ASN1_TIME_free(start) }
        guard let end = ASN1_TIME_set(nil, Int(notAfter)) else { return false }
        defer { ASN1_TIME_free(end) }
        return X509_set1_notBefore(certificate, start) == 1 && X509_set1_notAfter(certificate, end) == 1
    }
}
