import JOSE

/// The keys of a run, and the certificates that both verifiers get.
struct OracleKeys: Sendable {
    enum Failure: Error { case noDigest }

    let first: SigningKey
    let second: SigningKey
    /// Published in a certificate that ended yesterday.
    let retired: SigningKey
    /// Published, but not RSA.
    let elliptic: SigningKey
    /// Not published.
    let forged: SigningKey
    /// `{kid: certificate}`, as Google publishes it.
    let certificates: [UInt8]

    /// A kid that is not ASCII, of the second key; composed.
    static let accentedID = "cl\u{E9}"

    init(now: Int64) throws {
        first = try .generate(.rs256, keyID: "key-1")
        second = try .generate(.rs256, keyID: "key-2")
        retired = try .generate(.rs256, keyID: "key-retired")
        elliptic = try .generate(.es256, keyID: "key-elliptic")
        forged = try .generate(.rs256, keyID: "key-1")
        var text = Array("{".utf8)
        func publish(_ key: SigningKey, as id: String? = nil, until end: Int64? = nil) throws {
            let pem = try key.certificatePEM(
                commonName: "oracle", notBefore: now - 864_000, notAfter: end ?? now + 864_000)
            JSONWriter.appendName(id ?? key.keyID, to: &text)
            JSONWriter.appendString(utf8: pem, to: &text)
        }
        try publish(first)
        try publish(second)
        try publish(second, as: Self.accentedID)
        try publish(retired, until: now - 86_400)
        try publish(elliptic)
        certificates = text + Array("}".utf8)
    }

    /// The same private key with another algorithm.
    func first(_ algorithm: Algorithm) throws -> SigningKey {
        try SigningKey(pem: first.pem(), algorithm: algorithm, keyID: first.keyID)
    }
}

/// The key and algorithm that sign a token.
enum Signer: Sendable {
    case first, second, retired, elliptic, forged
    /// The first key with another algorithm.
    case otherwise(Algorithm)
    /// HMAC whose secret is the published certificates.
    case publishedSecret

    func signature(over input: [UInt8], keys: OracleKeys) throws -> [UInt8] {
        switch self {
        case .first: try keys.first.signature(over: input)
        case .second: try keys.second.signature(over: input)
        case .retired: try keys.retired.signature(over: input)
        case .elliptic: try keys.elliptic.signature(over: input)
        case .forged: try keys.forged.signature(over: input)
        case .otherwise(let algorithm): try keys.first(algorithm).signature(over: input)
        case .publishedSecret: try Self.hmac(input, secret: keys.certificates)
        }
    }

    private static func hmac(_ message: [UInt8], secret: [UInt8]) throws -> [UInt8] {
        guard let code = HMACSHA256.authenticate(message, secret: secret) else { throw OracleKeys.Failure.noDigest }
        return code
    }
}
