internal import CLibcrypto

/// A private key with one JWS algorithm and a key id.
///
/// It signs the tokens of the gateway and of the development identity provider.
public struct SigningKey: Sendable {
    /// The algorithm of all signatures of this key.
    public let algorithm: Algorithm
    /// The `kid` of this key's tokens.
    public let keyID: String

    let key: PrivateKey
    var shape: KeyShape { KeyShape(for: algorithm) }

    /// Generates a key: RSA of 2048 bits, on the algorithm's curve, or Ed25519.
    public static func generate(_ algorithm: Algorithm, keyID: String) throws(SigningKeyError) -> SigningKey {
        SigningKey(key: try PrivateKey.generate(KeyShape(for: algorithm)), algorithm: algorithm, keyID: keyID)
    }

    /// Reads an unencrypted private key (PKCS#8, PKCS#1 or SEC 1) from at most 64 KiB of PEM.
    ///
    /// - Throws: `unreadable` for a text without such a key; `unfit` for a key that does not suit the algorithm, or
    ///   an RSA key outside 2048 to 8192 bits.
    public init(pem: [UInt8], algorithm: Algorithm, keyID: String) throws(SigningKeyError) {
        let key = try PrivateKey(pem: pem)
        try key.check(fits: KeyShape(for: algorithm))
        self.init(key: key, algorithm: algorithm, keyID: keyID)
    }

    init(key: PrivateKey, algorithm: Algorithm, keyID: String) {
        self.key = key
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// Returns the private key as unencrypted PKCS#8 PEM. It must only be written to files of mode 0600.
    public func pem() -> [UInt8] {
        key.pem()
    }
}

extension SigningKey {
    /// Returns the JOSE header of this key's tokens: `alg`, `kid`, `typ`.
    ///
    /// - Parameter type: The `typ` member. `nil` omits it.
    public func header(type: String? = "JWT") -> String {
        var text = Array("{".utf8)
        for (name, value) in [("alg", algorithm.rawValue), ("kid", keyID), ("typ", type)] {
            guard let value else { continue }
            JSONWriter.appendName(name, to: &text)
            JSONWriter.appendString(value, to: &text)
        }
        return String(decoding: text, as: UTF8.self) + "}"
    }

    /// Creates a compact JWS (RFC 7515 section 7.1).
    ///
    /// - Parameters:
    ///   - header: The header's JSON text, used unchanged even if it contradicts the key. The default is `header()`.
    ///   - payload: The payload, usually the JSON text of claims.
    public func sign(header: String? = nil, payload: [UInt8]) throws(SigningKeyError) -> String {
        var input: [UInt8] = []
        Base64URL.encode(Array((header ?? self.header()).utf8), into: &input)
        input.append(UInt8(ascii: "."))
        Base64URL.encode(payload, into: &input)
        let signature = try signature(over: input)
        input.append(UInt8(ascii: "."))
        Base64URL.encode(signature, into: &input)
        return String(decoding: input, as: UTF8.self)
    }

    /// Signs a signing input. The signature has the form of JWS: for elliptic curves `r` and `s`, not ASN.1.
    public func signature(over input: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        guard let raw = digestSign(input) else { throw .failed("sign with \(algorithm.rawValue)") }
        guard case .elliptic(let curve) = shape else { return raw }
        guard let fixed = fixedLength(raw, width: curve.width) else { throw .failed("parse its own signature") }
        return fixed
    }

    private func digestSign(_ input: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        guard
            EVP_DigestSignInit_ex(context, &parameters, algorithm.digestName, nil, nil, key.pointer, nil) == 1,
            setPadding(parameters)
        else { return nil }
        var length = Int(EVP_PKEY_get_size(key.pointer))
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, input, input.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }

    /// The salt of PS* is as long as the digest (RFC 7518 section 3.5).
    private func setPadding(_ parameters: OpaquePointer?) -> Bool {
        guard algorithm.isPSS else { return true }
        return EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1
    }

    /// Returns `r` and `s` in big-endian order, each as long as a coordinate (RFC 7518 section 3.4).
    private func fixedLength(_ encoded: [UInt8], width: Int) -> [UInt8]? {
        let parsed = encoded.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &cursor, bytes.count)
        }
        guard let parsed else { return nil }
        defer { ECDSA_SIG_free(parsed) }
        let r = BigEndian.bytes(ECDSA_SIG_get0_r(parsed), count: width)
        let s = BigEndian.bytes(ECDSA_SIG_get0_s(parsed), count: width)
        guard let r, let s else { return nil }
        return r + s
    }

    /// The public key as a JWK (RFC 7517) with `alg`, `kid` and `use`, without private members.
    public var jwk: String {
        var text = Array("{".utf8)
        for (name, value) in publicMembers + [("alg", algorithm.rawValue), ("kid", keyID), ("use", "sig")] {
            JSONWriter.appendName(name, to: &text)
            JSONWriter.appendString(value, to: &text)
        }
        return String(decoding: text, as: UTF8.self) + "}"
    }

    /// The members of the public key (RFC 7518 section 6, RFC 8037 section 2).
    var publicMembers: [(name: String, value: String)] {
        switch shape {
        case .rsa:
            [("kty", "RSA"), ("n", number("n")), ("e", number("e"))]
        case .elliptic(let curve):
            [
                ("kty", "EC"), ("crv", curve.rawValue),
                ("x", number("qx", count: curve.width)), ("y", number("qy", count: curve.width)),
            ]
        case .ed25519:
            [("kty", "OKP"), ("crv", "Ed25519"), ("x", rawPublicKey)]
        }
    }

    private func number(_ name: String, count: Int? = nil) -> String {
        var value: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key.pointer, name, &value) == 1, let value else { return "" }
        defer { BN_free(value) }
        let bytes = count.map { BigEndian.bytes(value, count: $0) } ?? BigEndian.bytes(value)
        return Base64URL.encode(bytes ?? [])
    }

    /// The private number of a key on an elliptic curve, as long as a coordinate. `nil` for other types.
    var secretNumber: [UInt8]? {
        guard case .elliptic(let curve) = shape else { return nil }
        var value: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key.pointer, "priv", &value) == 1, let value else { return nil }
        defer { BN_clear_free(value) }
        return BigEndian.bytes(value, count: curve.width)
    }

    private var rawPublicKey: String {
        var bytes = [UInt8](repeating: 0, count: 32)
        var length = bytes.count
        guard EVP_PKEY_get_raw_public_key(key.pointer, &bytes, &length) == 1 else { return "" }
        return Base64URL.encode(Array(bytes.prefix(length)))
    }

    /// Reads an unencrypted private key like ``init(pem:algorithm:keyID:)``. Its `kid` is its thumbprint (RFC 7638)
    /// in base64url, which is unique and needs no configuration.
    public init(pem: [UInt8], algorithm: Algorithm) throws(SigningKeyError) {
        let key = try SigningKey(pem: pem, algorithm: algorithm, keyID: "")
        guard let thumbprint = key.thumbprint else { throw .failed("hash the key") }
        self.init(key: key.key, algorithm: algorithm, keyID: Base64URL.encode(thumbprint))
    }

    /// The SHA-256 of the public key's required members, 32 bytes (RFC 7638 section 3). `nil` if libcrypto fails.
    public var thumbprint: [UInt8]? {
        var text = Array("{".utf8)
        for (name, value) in publicMembers.sorted(by: { $0.name < $1.name }) {
            JSONWriter.appendName(name, to: &text)
            JSONWriter.appendString(value, to: &text)
        }
        return sha256(text + [UInt8(ascii: "}")])
    }

    /// Creates a self-signed X.509 v3 certificate of the public key as PEM, as in Google's `{kid: certificate}` maps.
    ///
    /// - Parameters:
    ///   - commonName: The subject and issuer, 1 to 64 bytes.
    ///   - notBefore: The start of the validity in seconds since 1970.
    ///   - notAfter: The end of the validity in seconds since 1970.
    /// - Throws: `failed` if libcrypto rejects the name or a time.
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

    /// Sets a serial number of 63 random bits, which is never negative (RFC 5280 section 4.1.2.2).
    private func setSerial(_ certificate: OpaquePointer) -> Bool {
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max))) == 1
    }

    private func setName(_ certificate: OpaquePointer, _ commonName: String) -> Bool {
        // MBSTRING_UTF8, a macro that Swift does not import.
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

/// The reason that a signing key could not be created, read or used.
public struct SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error. The list can grow.
    public enum Code: Sendable, Equatable {
        /// The text contains no unencrypted private key in PEM.
        case unreadable
        /// The type, curve or size of the key does not suit the algorithm.
        case unfit
        /// libcrypto failed, usually because of missing memory or a restricted provider.
        case failed
    }

    /// The kind of error.
    public let code: Code
    /// The description for people.
    public let description: String

    static func unreadable(_ what: String) -> SigningKeyError { SigningKeyError(code: .unreadable, description: what) }
    static func unfit(_ what: String) -> SigningKeyError { SigningKeyError(code: .unfit, description: what) }
    static func failed(_ operation: String) -> SigningKeyError {
        SigningKeyError(code: .failed, description: "libcrypto could not \(operation)")
    }
}
