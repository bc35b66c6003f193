internal import CLibcrypto

extension SigningKey {
    /// The JOSE header of this key's tokens: `alg`, `kid`, `typ`.
    ///
    /// - Parameter type: the `typ` member; `nil` leaves it out.
    public func header(type: String? = "JWT") -> String {
        var text = Array("{".utf8)
        for (name, value) in [("alg", algorithm.rawValue), ("kid", keyID), ("typ", type)] {
            guard let value else { continue }
            JSONWriter.appendName(name, to: &text)
            JSONWriter.appendString(value, to: &text)
        }
        return String(decoding: text, as: UTF8.self) + "}"
    }

    /// A compact JWS (RFC 7515 section 7.1) over a payload.
    ///
    /// - Parameters:
    ///   - header: the header's JSON text, taken as it is, even where it contradicts the key; by default `header()`.
    ///   - payload: any bytes, commonly the JSON text of claims.
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

    /// The signature over a signing input, in the form that JWS uses: for elliptic curves `r` and `s`, not ASN.1.
    public func signature(over input: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        guard let raw = digestSign(input) else { throw .failed("sign with \(algorithm.rawValue)") }
        guard case .elliptic(let curve) = shape else { return raw }
        guard let fixed = fixedLength(raw, width: curve.width) else { throw .failed("read its own signature") }
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

    /// RFC 7518 section 3.5: the salt of PS* is as long as the digest.
    private func setPadding(_ parameters: OpaquePointer?) -> Bool {
        guard algorithm.isPSS else { return true }
        return EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1
    }

    /// RFC 7518 section 3.4: `r` and `s` in big-endian order, each as long as a coordinate.
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
}
