import JOSE

/// The gateway's keys for assertions: the one that signs, and those that are published.
struct AssertionKeys: Sendable {
    /// Signs.
    let current: SigningKey
    /// The JWK set (RFC 7517) that upstreams check with: the current key, then the previous ones, each once.
    let jwkSet: [UInt8]

    init(current: SigningKey, previous: [SigningKey]) {
        self.current = current
        var published: [SigningKey] = []
        for key in [current] + previous where !published.contains(where: { $0.keyID == key.keyID }) {
            published.append(key)
        }
        jwkSet = Array("{\"keys\":[\(published.map(\.jwk).joined(separator: ","))]}".utf8)
    }
}
