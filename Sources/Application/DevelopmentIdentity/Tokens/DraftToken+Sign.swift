public import JOSE

extension DraftToken {
    /// The token as a compact JWS with that key's `alg` and `kid` (Firebase's custom tokens have no `kid`) where
    /// nothing else is set.
    ///
    /// - Throws: what libcrypto refuses.
    public func signed(by key: SigningKey) throws(SigningKeyError) -> String {
        var defaults: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        if namesKey { defaults["kid"] = .string(key.keyID) }
        defaults["typ"] = "JWT"
        return try key.sign(header: headerText(defaults), payload: claims.bytes)
    }

    /// The token with an HMAC signature (`HS256`), as legacy custom tokens have, and as an attacker makes one with a
    /// public key for the secret.
    ///
    /// - Throws: where libcrypto has no SHA-256.
    public func signed(secret: [UInt8]) throws(DevelopmentIdentityError) -> String {
        let input = signingInput(["alg": "HS256", "typ": "JWT"])
        return input + "." + Base64URL.encode(try HMACSHA256.authenticate(Array(input.utf8), secret: secret))
    }

    /// The token as the Firebase emulator makes it: `alg` is `none`, no `kid`, and nothing after the last dot.
    public func unsigned() -> String {
        signingInput(["alg": "none", "typ": "JWT"]) + "."
    }

    private func signingInput(_ defaults: JSONObject) -> String {
        Base64URL.encode(Array(headerText(defaults).utf8)) + "." + Base64URL.encode(claims.bytes)
    }

    private func headerText(_ defaults: JSONObject) -> String {
        var all = defaults
        all.merge(header)
        for name in removedHeader { all[name] = nil }
        return all.text
    }
}
