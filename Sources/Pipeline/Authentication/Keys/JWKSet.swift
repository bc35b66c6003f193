package import JOSE

/// The public keys of signing keys, in the format for verifiers.
package enum JWKSet {
    /// Returns the JWK set (RFC 7517 section 5) of some keys, without duplicates.
    package static func text(of keys: [SigningKey]) -> [UInt8] {
        var published: [SigningKey] = []
        for key in keys where !published.contains(where: { $0.keyID == key.keyID }) { published.append(key) }
        return Array("{\"keys\":[\(published.map(\.jwk).joined(separator: ","))]}".utf8)
    }
}
