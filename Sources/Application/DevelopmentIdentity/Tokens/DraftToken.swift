public import JOSE

/// A token in the making: its claims and what its header should say, both open to any change.
///
/// `setting`, `removing` and their kin return changed copies; `signed(by:)` and `unsigned()` turn the token into a
/// compact JWS, and ``Tampering`` spoils one that was signed.
public protocol DraftToken: Sendable, Hashable {
    /// The payload.
    var claims: JSONObject { get set }
    /// Members that the header gets besides, or instead of, those that the key gives it.
    var header: JSONObject { get set }
    /// Members that the header does not get.
    var removedHeader: Set<String> { get set }
    /// Whether the header has the signing key's `kid`.
    var namesKey: Bool { get }
}

extension DraftToken {
    /// A copy with a claim set, whatever its type; a path of several names leads into objects.
    public func setting(_ path: String..., to value: JSON) -> Self {
        changed { $0.claims.set(path, to: value) }
    }

    /// A copy without a claim; a path of several names leads into objects.
    public func removing(_ path: String...) -> Self {
        changed { $0.claims.set(path, to: nil) }
    }

    /// A copy with every member of `extra` as a claim.
    public func merging(_ extra: JSONObject) -> Self {
        changed { $0.claims.merge(extra) }
    }

    /// A copy whose header has that member, such as `alg`, `kid`, `typ` or `crit`.
    public func settingHeader(_ name: String, to value: JSON) -> Self {
        changed {
            $0.header[name] = value
            $0.removedHeader.remove(name)
        }
    }

    /// A copy whose header lacks that member.
    public func removingHeader(_ name: String) -> Self {
        changed {
            $0.header[name] = nil
            $0.removedHeader.insert(name)
        }
    }

    /// A copy with another `auth_time`, in seconds since 1970.
    public func signedIn(at time: Int64) -> Self { setting("auth_time", to: .integer(time)) }

    /// A copy with another `iat`, in seconds since 1970.
    public func issued(at time: Int64) -> Self { setting("iat", to: .integer(time)) }

    /// A copy with another `exp`, in seconds since 1970.
    public func expiring(at time: Int64) -> Self { setting("exp", to: .integer(time)) }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

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

/// HMAC (RFC 2104) with SHA-256.
enum HMACSHA256 {
    static func authenticate(_ message: [UInt8], secret: [UInt8]) throws(DevelopmentIdentityError) -> [UInt8] {
        var key = secret.count > 64 ? try hash(secret) : secret
        key.append(contentsOf: repeatElement(0, count: 64 - key.count))
        let inner = try hash(key.map { $0 ^ 0x36 } + message)
        return try hash(key.map { $0 ^ 0x5C } + inner)
    }

    private static func hash(_ bytes: [UInt8]) throws(DevelopmentIdentityError) -> [UInt8] {
        guard let digest = SHA256Hasher()?.hash(bytes) else {
            throw DevelopmentIdentityError(.keys, "libcrypto has no SHA-256")
        }
        return digest.bytes
    }
}
