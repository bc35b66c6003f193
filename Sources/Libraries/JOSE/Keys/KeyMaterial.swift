/// The numbers of a public key, before libcrypto has seen them.
protocol KeyMaterial {
    var kind: PublicKey.Kind { get }
    /// All algorithms that suit the key.
    var algorithms: Set<Algorithm> { get }
    /// The text whose hash is the thumbprint: the required members, sorted, without whitespace (RFC 7638 section 3).
    var thumbprintInput: [UInt8] { get }
    /// The key, if it is strong and sound.
    func makeKey() throws(UnfitKey) -> LibcryptoKey
}
