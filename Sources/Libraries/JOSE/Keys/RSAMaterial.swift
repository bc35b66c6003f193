internal import CLibcrypto

/// An RSA public key: big-endian numbers without leading zeros.
struct RSAMaterial: KeyMaterial {
    /// The lengths of a modulus that are accepted, in bits: below is weak (RFC 7518 section 3.3), above is slow.
    static let bits = 2048...8192

    let modulus: [UInt8]
    let exponent: [UInt8]

    init(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = [UInt8](modulus.drop { $0 == 0 })
        self.exponent = [UInt8](exponent.drop { $0 == 0 })
    }

    private var modulusBits: Int {
        modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    }

    var kind: PublicKey.Kind { .rsa(bits: modulusBits) }

    var algorithms: Set<Algorithm> { [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512] }

    var thumbprintInput: [UInt8] {
        [UInt8](#"{"e":"\#(Base64URL.encode(exponent))","kty":"RSA","n":"\#(Base64URL.encode(modulus))"}"#.utf8)
    }

    func makeKey() throws(UnfitKey) -> LibcryptoKey {
        try check()
        let key = LibcryptoKey(type: "RSA") { builder in
            let n = BN_bin2bn(modulus, Int32(modulus.count), nil)
            let e = BN_bin2bn(exponent, Int32(exponent.count), nil)
            defer {
                BN_free(n)
                BN_free(e)
            }
            guard let n, let e, OSSL_PARAM_BLD_push_BN(builder, RSA_MODULUS_PARAMETER, n) == 1,
                OSSL_PARAM_BLD_push_BN(builder, RSA_EXPONENT_PARAMETER, e) == 1
            else { return nil }
            return OSSL_PARAM_BLD_to_param(builder)
        }
        guard let key else { throw UnfitKey("RSA key refused by libcrypto") }
        return key
    }

    private func check() throws(UnfitKey) {
        guard Self.bits.contains(modulusBits) else {
            throw UnfitKey("RSA modulus of \(modulusBits) bits, not \(Self.bits.lowerBound) to \(Self.bits.upperBound)")
        }
        guard let last = modulus.last, last & 1 == 1 else { throw UnfitKey("RSA modulus is even") }
        // A larger exponent is of no use and makes verification slow.
        guard exponent.count <= 4, exponent.reduce(UInt64(0), { $0 << 8 | UInt64($1) }) < 1 << 31 else {
            throw UnfitKey("RSA exponent of more than 31 bits")
        }
        guard let low = exponent.last, low & 1 == 1, exponent.count > 1 || low >= 3 else {
            throw UnfitKey("RSA exponent is even or below 3")
        }
    }
}
