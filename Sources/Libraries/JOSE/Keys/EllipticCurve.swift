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

    /// The algorithm that goes with the curve.
    var algorithm: Algorithm {
        switch self {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        }
    }
}
