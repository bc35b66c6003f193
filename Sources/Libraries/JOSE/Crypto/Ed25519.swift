internal import CLibcrypto

/// Ed25519 (RFC 8032). It processes the whole message at once, so there is no context to reuse.
enum Ed25519 {
    static let keyLength = 32
    static let signatureLength = 64

    /// Returns whether the signature is valid for `message`.
    static func isValid(
        signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, key: LibcryptoKey
    ) -> Bool {
        guard signature.count == signatureLength, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let bytes = signature.assumingMemoryBound(to: UInt8.self)
        let text = message.assumingMemoryBound(to: UInt8.self)
        if EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1,
            EVP_DigestVerify(context, bytes.baseAddress, bytes.count, text.baseAddress, text.count) == 1
        {
            return true
        }
        ERR_clear_error()
        return false
    }

    /// Returns whether `point` has small order. Signatures for such a point can be forged without a private key.
    static func hasSmallOrder(_ point: [UInt8]) -> Bool {
        var y = point
        y[keyLength - 1] &= 0x7F
        return smallOrderOrdinates.contains(y)
    }

    /// The ordinates of all points whose order divides 8, least significant byte first, and the two unreduced forms.
    private static let smallOrderOrdinates: Set<[UInt8]> = [
        ordinate(first: 0x00, rest: 0x00, last: 0x00),
        ordinate(first: 0x01, rest: 0x00, last: 0x00),
        ordinate(first: 0xEC, rest: 0xFF, last: 0x7F),
        ordinate(first: 0xED, rest: 0xFF, last: 0x7F),
        ordinate(first: 0xEE, rest: 0xFF, last: 0x7F),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    private static func ordinate(first: UInt8, rest: UInt8, last: UInt8) -> [UInt8] {
        [first] + [UInt8](repeating: rest, count: keyLength - 2) + [last]
    }
}

/// The checks of an encoded point (RFC 8032 section 5.1.3). libcrypto accepts any 32 bytes as a key: it reduces a
/// value that is too large, and detects an invalid point only at each verification.
extension Ed25519 {
    /// Returns whether the ordinate of `point` is below the field's prime, 2^255 - 19, so that the encoding is unique.
    static func isCanonical(_ point: [UInt8]) -> Bool {
        guard point[keyLength - 1] & 0x7F == 0x7F, point[1..<(keyLength - 1)].allSatisfy({ $0 == 0xFF }) else {
            return true
        }
        return point[0] < 0xED
    }

    /// Returns whether the ordinate of `point` has an abscissa: a square root of (y² - 1) / (dy² + 1).
    static func isOnCurve(_ point: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let context = BN_CTX_new() else { return false }
        defer { BN_CTX_free(context) }
        BN_CTX_start(context)
        defer { BN_CTX_end(context) }
        let prime = BN_CTX_get(context)
        let square = BN_CTX_get(context)
        let denominator = BN_CTX_get(context)
        // The last allocation is `nil` if any of them failed.
        guard let product = BN_CTX_get(context) else { return false }
        var y = point
        y[keyLength - 1] &= 0x7F
        guard BN_set_bit(prime, 255) == 1, BN_sub_word(prime, 19) == 1,
            BN_lebin2bn(y, Int32(keyLength), square) != nil, BN_mod_sqr(square, square, prime, context) == 1,
            BN_lebin2bn(d, Int32(keyLength), denominator) != nil,
            BN_mod_mul(denominator, denominator, square, prime, context) == 1, BN_add_word(denominator, 1) == 1,
            // y² is 0 only for a point of small order, for which this is p - 1.
            BN_add(square, square, prime) == 1, BN_sub_word(square, 1) == 1,
            BN_mod_mul(product, square, denominator, prime, context) == 1
        else { return false }
        // The product is a square if and only if the quotient is. -1 means no square, -2 an error.
        return BN_kronecker(product, prime, context) >= 0
    }

    /// The curve's d, -121665 / 121666, least significant byte first.
    private static let d: [UInt8] = [
        0xA3, 0x78, 0x59, 0x13, 0xCA, 0x4D, 0xEB, 0x75, 0xAB, 0xD8, 0x41, 0x41, 0x4D, 0x0A, 0x70, 0x00,
        0x98, 0xE8, 0x79, 0x77, 0x79, 0x40, 0xC7, 0x8C, 0x73, 0xFE, 0x6F, 0x2B, 0xEE, 0x6C, 0x03, 0x52,
    ]
}
