extension KeySet {
    /// Reads a JWK set (RFC 7517 section 5). A byte order mark is ignored.
    ///
    /// Skipped are: RSA below 2048 or above 8192 bits, or with an exponent below 3, even or above 31 bits; points off
    /// their curve; Ed25519 keys of another length, of small order or not in their one spelling; keys for another `use` or
    /// without `verify` in `key_ops`; an `alg` that is unknown or does not suit; keys with private members; a `kid` seen
    /// before.
    public init(jwkSet bytes: [UInt8]) throws(KeySetError) {
        try self.init(jwkSet: Self.document(bytes).root)
    }

    init(jwkSet root: JSONValue) throws(KeySetError) {
        guard let list = root["keys"], list.kind == .array else {
            throw KeySetError(root["error"] == nil ? .notKeySet : .errorDocument)
        }
        guard list.count <= Self.maximumKeys else { throw KeySetError(.tooManyKeys) }
        var builder = KeySetBuilder()
        for element in list.elements {
            let keyID = element["kid"]?.string
            builder.add(keyID: keyID) { () throws(UnfitKey) in try JWK(element).makeKey() }
        }
        self.init(builder)
    }
}
