internal import CLibcrypto

/// The numbers of a public key before it is imported into libcrypto.
protocol KeyMaterial {
    var kind: PublicKey.Kind { get }
    /// All algorithms of the key's type.
    var algorithms: Set<Algorithm> { get }
    /// The input of the thumbprint's hash: the required members, sorted, without whitespace (RFC 7638 section 3).
    var thumbprintInput: [UInt8] { get }
    /// Checks the numbers and creates the key. Throws `UnfitKey` if it is weak or invalid.
    func makeKey() throws(UnfitKey) -> LibcryptoKey
}

/// A point on a curve: big-endian coordinates, as long as the curve's field.
struct ECMaterial: KeyMaterial {
    let curve: EllipticCurve
    let x: [UInt8]
    let y: [UInt8]

    var kind: PublicKey.Kind { .ec(curve) }

    var algorithms: Set<Algorithm> { [curve.algorithm] }

    var thumbprintInput: [UInt8] {
        let name = curve.rawValue
        let text = #"{"crv":"\#(name)","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
        return [UInt8](text.utf8)
    }

    func makeKey() throws(UnfitKey) -> LibcryptoKey {
        guard x.count == curve.width, y.count == curve.width else {
            throw UnfitKey("coordinates are not \(curve.width) bytes long")
        }
        let uncompressed = [0x04] + x + y
        let key = LibcryptoKey(type: "EC") { builder in
            curve.rawValue.withCString { group in
                uncompressed.withUnsafeBytes { point in
                    guard OSSL_PARAM_BLD_push_utf8_string(builder, EC_GROUP_PARAMETER, group, 0) == 1,
                        OSSL_PARAM_BLD_push_octet_string(
                            builder, EC_POINT_PARAMETER, point.baseAddress, point.count) == 1
                    else { return nil }
                    return OSSL_PARAM_BLD_to_param(builder)
                }
            }
        }
        guard let key, key.passesPublicCheck else { throw UnfitKey("point is not on \(curve.rawValue)") }
        return key
    }
}

/// The curves of RFC 7518 section 6.2.1.1.
public enum EllipticCurve: String, Sendable {
    /// secp256r1.
    case p256 = "P-256"
    /// secp384r1.
    case p384 = "P-384"
    /// secp521r1.
    case p521 = "P-521"

    /// The length of a coordinate and of half a signature, in bytes.
    var width: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// The algorithm of the curve.
    var algorithm: Algorithm {
        switch self {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        }
    }
}

/// An Ed25519 public key (RFC 8037 section 2).
struct OKPMaterial: KeyMaterial {
    let x: [UInt8]

    var kind: PublicKey.Kind { .ed25519 }

    var algorithms: Set<Algorithm> { [.edDSA] }

    var thumbprintInput: [UInt8] {
        [UInt8](#"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.encode(x))"}"#.utf8)
    }

    func makeKey() throws(UnfitKey) -> LibcryptoKey {
        guard x.count == Ed25519.keyLength else { throw UnfitKey("Ed25519 key is not 32 bytes long") }
        guard !Ed25519.hasSmallOrder(x) else { throw UnfitKey("Ed25519 key has small order") }
        guard Ed25519.isCanonical(x) else { throw UnfitKey("Ed25519 key is not canonical") }
        guard Ed25519.isOnCurve(x) else { throw UnfitKey("Ed25519 key is not a point") }
        guard let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count) else {
            ERR_clear_error()
            throw UnfitKey("Ed25519 key rejected by libcrypto")
        }
        return LibcryptoKey(owning: key)
    }
}

/// An RSA public key: big-endian numbers without leading zeros.
struct RSAMaterial: KeyMaterial {
    /// The accepted lengths of a modulus, in bits. Shorter ones are weak (RFC 7518 section 3.3), longer ones are slow.
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
        guard let key else { throw UnfitKey("RSA key rejected by libcrypto") }
        return key
    }

    private func check() throws(UnfitKey) {
        guard Self.bits.contains(modulusBits) else {
            throw UnfitKey("RSA modulus of \(modulusBits) bits, not \(Self.bits.lowerBound) to \(Self.bits.upperBound)")
        }
        guard let last = modulus.last, last & 1 == 1 else { throw UnfitKey("RSA modulus is even") }
        // A larger exponent adds no security and slows verification.
        guard exponent.count <= 4, exponent.reduce(UInt64(0), { $0 << 8 | UInt64($1) }) < 1 << 31 else {
            throw UnfitKey("RSA exponent of more than 31 bits")
        }
        guard let low = exponent.last, low & 1 == 1, exponent.count > 1 || low >= 3 else {
            throw UnfitKey("RSA exponent is even or below 3")
        }
    }
}

/// The reason that a key of a set cannot be used.
struct UnfitKey: Error {
    /// A phrase for the log, without secrets.
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// A key that was omitted from a set.
public struct SkippedKey: Hashable, Sendable {
    /// The key's `kid`, if any.
    public let keyID: String?
    /// The reason, as a phrase for the log.
    public let reason: String
}
