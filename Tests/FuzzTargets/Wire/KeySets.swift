internal import JOSE

/// JWK sets: each key is counted, and an accepted key is fit for its purpose.
public func fuzzKeySets(_ input: UnsafeRawBufferPointer) {
    let bytes = [UInt8](input)
    guard let set = try? KeySet(jwkSet: bytes) else { return }
    checkKeySet(set)
    checkSource(set, bytes)
    guard let detected = try? KeySet(detecting: bytes, now: fixedNow) else {
        return require(false, "a key set is detected")
    }
    require(detected.keys.map(\.thumbprint) == set.keys.map(\.thumbprint), "what is detected is the same set")
}

/// A time at which certificates of the corpus are valid: January 2027.
let fixedNow: Int64 = 1_800_000_000

/// The properties of every set.
func checkKeySet(_ set: KeySet) {
    require(set.keys.count + set.skipped.count <= KeySet.maximumKeys, "a set is bounded")
    var names: Set<[UInt8]> = []
    for key in set.keys {
        checkKey(key)
        guard let id = key.keyID else { continue }
        require(!id.isEmpty, "a kid is not empty")
        require(names.insert([UInt8](id.utf8)).inserted, "no two keys have one kid")
        require(set.key(id: id) === key, "a key is found by its kid")
        require(set.key(id: id + "x").map { $0 !== key } ?? true, "and by no other")
    }
    for skipped in set.skipped { require(!skipped.reason.isEmpty, "a skipped key has its reason") }
}

private func checkKey(_ key: PublicKey) {
    require(key.thumbprint.count == 32, "a thumbprint is a SHA-256")
    require(!key.algorithms.isEmpty, "a key is good for something")
    let isRSA = key.algorithms.isSubset(of: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
    switch key.kind {
    case .rsa(let bits): require((2048...8192).contains(bits) && isRSA, "an RSA key is strong, and for RSA")
    case .ec(.p256): require(key.algorithms == [.es256], "a point on P-256 is for ES256")
    case .ec(.p384): require(key.algorithms == [.es384], "a point on P-384 is for ES384")
    case .ec(.p521): require(key.algorithms == [.es512], "a point on P-521 is for ES512")
    case .ed25519: require(key.algorithms == [.edDSA], "an Ed25519 key is for EdDSA")
    }
    checkVerifies(key)
}

/// Only its own key verifies a signed token.
private func checkVerifies(_ key: PublicKey) {
    for (text, own) in zip(SignedTokens.all, ownThumbprints) where key.thumbprint != own {
        guard let token = try? UnverifiedJWS(text) else { continue }
        for algorithm in key.algorithms {
            require(token.verify(with: key, algorithm: algorithm) == nil, "another key verifies nothing")
        }
    }
}

/// The thumbprint of the key of each signed token.
private let ownThumbprints = SignedTokens.all.map { text in
    let token = try? UnverifiedJWS(text)
    return fixedKeys.first { $0.keyID == token?.keyID }?.thumbprint ?? []
}

/// Each element of the source is a key or skipped, and an unfit element is not a key.
private func checkSource(_ set: KeySet, _ bytes: [UInt8]) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard let document = try? JSONDocument(text, limits: .keySet), let list = document.root["keys"] else {
        return require(false, "a key set is JSON with keys")
    }
    require(set.keys.count + set.skipped.count == list.count, "each element is a key or skipped")
    let fit = list.elements.filter(mayBeKey)
    require(set.keys.count <= fit.count, "what is for something else is no key")
    for key in set.keys {
        require(fit.contains { $0["kid"]?.string == key.keyID }, "a key has the kid of an element that may be one")
    }
}

private func mayBeKey(_ element: JSONValue) -> Bool {
    let isPrivate = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains { element[$0] != nil }
    let isForSignatures = element["use"].map { $0.equals("sig") } ?? true
    let kty = element["kty"]?.string ?? ""
    return !isPrivate && isForSignatures && ["RSA", "EC", "OKP"].contains(kty)
}
