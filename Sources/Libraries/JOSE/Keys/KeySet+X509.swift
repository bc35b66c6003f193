extension KeySet {
    /// Reads a map from `kid` to a PEM certificate, as Google publishes it. A byte order mark is ignored.
    ///
    /// A certificate only carries a key here: no chain is built, since the source itself is trusted. Skipped are
    /// certificates that cannot be read, that are not valid at `now` (seconds since 1970), and keys that are not RSA or as
    /// weak as ``init(jwkSet:)`` tells.
    public init(x509Map bytes: [UInt8], now: Int64) throws(KeySetError) {
        try self.init(x509Map: Self.document(bytes).root, now: now)
    }

    init(x509Map root: JSONValue, now: Int64) throws(KeySetError) {
        guard root["error"] == nil else { throw KeySetError(.errorDocument) }
        guard root.members.contains(where: { isPEM($0.value) }) else { throw KeySetError(.notKeySet) }
        guard root.count <= Self.maximumKeys else { throw KeySetError(.tooManyKeys) }
        var builder = KeySetBuilder()
        for (keyID, value) in root.members {
            builder.add(keyID: keyID) { () throws(UnfitKey) in
                guard isPEM(value), let text = value.string else { throw UnfitKey("not a PEM certificate") }
                guard !keyID.isEmpty else { throw UnfitKey("\"kid\" is empty") }
                let material = try X509Certificate(pem: text).rsaKey(validAt: now)
                return try PublicKey(material, keyID: keyID, declared: nil)
            }
        }
        self.init(builder)
    }
}

private func isPEM(_ value: JSONValue) -> Bool {
    value.string?.contains("-----BEGIN CERTIFICATE-----") ?? false
}
