/// The kind of private key that an algorithm signs with.
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
