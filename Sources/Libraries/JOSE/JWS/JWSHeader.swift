/// The supported signature algorithms of RFC 7518 section 3.1 and RFC 8037. Neither `none` nor any algorithm with a
/// shared secret is among them.
public enum Algorithm: String, CaseIterable, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes.
    case ps256 = "PS256"
    /// RSASSA-PSS with SHA-384 and a salt of 48 bytes.
    case ps384 = "PS384"
    /// RSASSA-PSS with SHA-512 and a salt of 64 bytes.
    case ps512 = "PS512"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// ECDSA on P-521 with SHA-512.
    case es512 = "ES512"
    /// EdDSA with Ed25519.
    case edDSA = "EdDSA"
}

extension Algorithm {
    /// OpenSSL's name of the digest. `nil` for EdDSA, which includes its own hash.
    var digestName: String? {
        switch self {
        case .rs256, .ps256, .es256: "SHA256"
        case .rs384, .ps384, .es384: "SHA384"
        case .rs512, .ps512, .es512: "SHA512"
        case .edDSA: nil
        }
    }

    var isPSS: Bool { self == .ps256 || self == .ps384 || self == .ps512 }
}

/// The members of a JOSE header that are read (RFC 7515 section 4). Keys in or referenced by a header (`jwk`, `jku`,
/// `x5c`, `x5u`) are ignored.
struct JWSHeader {
    let algorithm: String
    let keyID: String?
    let type: String?

    /// Reads the members of `header`, an object.
    init(_ header: JSONValue) throws(JWSError) {
        guard header["crit"] == nil else { throw JWSError(.criticalExtension) }
        guard header["b64"] == nil else { throw JWSError(.unencodedPayload) }
        guard let algorithm = header["alg"]?.string, !algorithm.isEmpty else { throw JWSError(.invalidAlgorithm) }
        self.algorithm = algorithm
        keyID = try Self.string("kid", of: header, atMost: 1024, orElse: .invalidKeyID)
        type = try Self.string("typ", of: header, atMost: 256, orElse: .invalidType)
    }

    /// Returns an optional string member of at most `limit` bytes.
    private static func string(
        _ name: String, of header: JSONValue, atMost limit: Int, orElse code: JWSError.Code
    ) throws(JWSError) -> String? {
        guard let value = header[name] else { return nil }
        guard value.writtenLength <= limit, let string = value.string else { throw JWSError(code) }
        return string
    }
}
