import JOSE

/// What makes a key the same key: two sets with equal identities verify the same tokens.
struct KeyIdentity: Sendable, Hashable {
    let keyID: String?
    let thumbprint: [UInt8]
    let algorithms: Set<Algorithm>
    let issuer: String?

    /// The identities of all keys of a set; their order does not matter.
    static func all(of keys: KeySet) -> Set<KeyIdentity> {
        Set(
            keys.keys.map {
                KeyIdentity(
                    keyID: $0.keyID, thumbprint: $0.thumbprint, algorithms: $0.algorithms, issuer: $0.issuer)
            })
    }
}
