/// A private key bound to one JWS algorithm and a key id.
///
/// It signs what the gateway itself issues and what the development identity mints; tokens of others are verified
/// with `PublicKey`.
public struct SigningKey: Sendable {
    /// The algorithm that every signature of this key uses.
    public let algorithm: Algorithm
    /// The `kid` that tokens of this key name.
    public let keyID: String

    let key: PrivateKey
    var shape: KeyShape { KeyShape(for: algorithm) }

    /// A fresh key: RSA of 2048 bits, the algorithm's curve, or Ed25519.
    public static func generate(_ algorithm: Algorithm, keyID: String) throws(SigningKeyError) -> SigningKey {
        SigningKey(key: try PrivateKey.generate(KeyShape(for: algorithm)), algorithm: algorithm, keyID: keyID)
    }

    /// Reads an unencrypted private key (PKCS#8, or the older PKCS#1 and SEC 1 forms) of at most 64 KiB of PEM.
    ///
    /// - Throws: `unreadable` for a text without such a key; `unfit` for a key that the algorithm cannot use, RSA keys
    ///   outside 2048 to 8192 bits included.
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

    /// The private key as unencrypted PKCS#8 PEM. Whoever reads it can sign: write it only to files of mode 0600.
    public func pem() -> [UInt8] {
        key.pem()
    }
}
