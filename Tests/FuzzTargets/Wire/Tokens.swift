internal import JOSE

/// Compact JWS: a token verifies if and only if it is well formed and signed.
///
/// The input is a token. With a line feed it is also the JSON of a header and of a payload to sign.
public func fuzzTokens(_ input: UnsafeRawBufferPointer) {
    withExactCopy(input, checkToken)
    guard let cut = input.firstIndex(of: 0x0A) else { return }
    checkMade(header: [UInt8](input[..<cut]), payload: [UInt8](input[(cut + 1)...]))
}

private func checkToken(_ bytes: UnsafeRawBufferPointer) {
    guard let token = try? UnverifiedJWS(bytes) else { return }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { [UInt8]($0) }
    require(parts.count == 3, "a token has three parts")
    for part in parts { require(reencoded(part) == part, "each part has one spelling") }
    require(token.hasEmptySignature == parts[2].isEmpty, "an empty signature is told")
    checkHeader(token)
    let input = parts[0] + [UInt8(ascii: ".")] + parts[1]
    for key in fixedKeys {
        guard isVerified(token, by: key) else { continue }
        require(signedInputs.contains(input), "nothing verifies that was not signed")
        let length = Base64URL.decode(parts[2])?.count
        require(length == signatureLengths[token.algorithmName] ?? 256, "a signature has one length")
    }
}

private func checkHeader(_ token: UnverifiedJWS) {
    let header = token.header.root
    require(header.kind == .object && token.payload.root.kind == .object, "header and payload are objects")
    require(header["alg"]?.string == token.algorithmName && !token.algorithmName.isEmpty, "alg is the header's")
    require(header["kid"]?.string == token.keyID && header["typ"]?.string == token.type, "kid and typ are the header's")
    require(header["crit"] == nil && header["b64"] == nil, "what must be understood is not passed over")
}

/// Whether the token verifies by any algorithm, which must be that of its header.
private func isVerified(_ token: UnverifiedJWS, by key: PublicKey) -> Bool {
    var isVerified = false
    for algorithm in Algorithm.allCases {
        guard let verified = token.verify(with: key, algorithm: algorithm) else { continue }
        require(token.algorithmName == algorithm.rawValue, "a token verifies by its own algorithm alone")
        require(key.algorithms.contains(algorithm), "a token verifies by an algorithm of the key alone")
        require(!token.hasEmptySignature, "a token without a signature does not verify")
        require(verified.payload.root.compact == token.payload.root.compact, "what is verified is what was read")
        isVerified = true
    }
    return isVerified
}

// MARK: - Tokens that are made

private func checkMade(header: [UInt8], payload: [UInt8]) {
    guard let signer, let key = signer.publicKey else { return require(false, "there is a key to sign with") }
    var input: [UInt8] = []
    Base64URL.encode(header, into: &input)
    input.append(UInt8(ascii: "."))
    Base64URL.encode(payload, into: &input)
    guard (try? UnverifiedJWS(input + [UInt8(ascii: ".")])) != nil else { return }
    guard let signature = try? signer.key.signature(over: input) else { return require(false, "signing works") }
    checkSigned(input, signature, payload, key)
    checkDamaged(input, signature, key)
}

private func checkSigned(_ input: [UInt8], _ signature: [UInt8], _ payload: [UInt8], _ key: PublicKey) {
    guard let token = try? token(input, signature) else { return }
    let verified = token.verify(with: key, algorithm: .edDSA)
    require((verified != nil) == (token.algorithmName == "EdDSA"), "what is signed and says so verifies")
    let document = try? JSONDocument(payload)
    require(document?.root.compact == token.payload.root.compact, "the payload is what was signed")
    for other in fixedKeys { require(!isVerified(token, by: other), "no other key verifies it") }
}

/// One bit of the signature or of the signing input changed.
private func checkDamaged(_ input: [UInt8], _ signature: [UInt8], _ key: PublicKey) {
    var seed = input.withUnsafeBytes { InputSeed($0) }
    var damaged = signature
    damaged[Int.random(in: 0..<signature.count, using: &seed)] ^= 1 << UInt8.random(in: 0...7, using: &seed)
    require((try? token(input, damaged))?.verify(with: key, algorithm: .edDSA) == nil, "a changed signature is none")
    var other = input
    other[Int.random(in: 0..<input.count, using: &seed)] ^= 1 << UInt8.random(in: 0...6, using: &seed)
    require((try? token(other, signature))?.verify(with: key, algorithm: .edDSA) == nil, "changed text is not signed")
}

private func token(_ input: [UInt8], _ signature: [UInt8]) throws(JWSError) -> UnverifiedJWS {
    var text = input + [UInt8(ascii: ".")]
    Base64URL.encode(signature, into: &text)
    return try UnverifiedJWS(text)
}

private func reencoded(_ part: [UInt8]) -> [UInt8]? {
    Base64URL.decode(part).map { bytes in
        var text: [UInt8] = []
        Base64URL.encode(bytes, into: &text)
        return text
    }
}

// MARK: - Keys

private struct Signer {
    let key: SigningKey
    let publicKey: PublicKey?
}

private let signer: Signer? = {
    guard let key = try? SigningKey.generate(.edDSA, keyID: "made") else { return nil }
    let set = try? KeySet(jwkSet: [UInt8]("{\"keys\":[\(key.jwk)]}".utf8))
    return Signer(key: key, publicKey: set?.keys.first)
}()

/// In bytes; that of RSA is its key's.
private let signatureLengths = ["ES256": 64, "ES384": 96, "ES512": 132, "EdDSA": 64]

/// The keys that ``SignedTokens`` were signed with.
let fixedKeys = (try? KeySet(jwkSet: [UInt8](SignedTokens.keySet.utf8)))?.keys ?? []

private let signedInputs = Set(
    SignedTokens.all.map { token in
        [UInt8](token.utf8[..<(token.lastIndex(of: ".") ?? token.endIndex)])
    })

/// How many of the signed tokens are verified by their key: all, or the target proves nothing.
public func countOfVerifiedTokens() -> Int {
    SignedTokens.all.count { text in
        guard let token = try? UnverifiedJWS(text) else { return false }
        return fixedKeys.contains { isVerified(token, by: $0) }
    }
}
