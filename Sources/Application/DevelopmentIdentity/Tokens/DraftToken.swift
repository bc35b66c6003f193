public import JOSE

/// An unsigned token with modifiable claims and header.
///
/// Functions such as `setting` and `removing` return modified copies. `signed(by:)` and `unsigned()` create a compact
/// JWS, and ``Tampering`` corrupts a signed one.
public protocol DraftToken: Sendable, Hashable {
    /// The payload.
    var claims: JSONObject { get set }
    /// Additional members of the header, which override the key's.
    var header: JSONObject { get set }
    /// Members that are omitted from the header.
    var removedHeader: Set<String> { get set }
    /// Whether the header contains the signing key's `kid`.
    var namesKey: Bool { get }
}

extension DraftToken {
    /// Returns a copy with a claim set to any type of value. A path of several names leads into objects.
    public func setting(_ path: String..., to value: JSON) -> Self {
        changed { $0.claims.set(path, to: value) }
    }

    /// Returns a copy without a claim. A path of several names leads into objects.
    public func removing(_ path: String...) -> Self {
        changed { $0.claims.set(path, to: nil) }
    }

    /// Returns a copy with all members of `extra` as claims.
    public func merging(_ extra: JSONObject) -> Self {
        changed { $0.claims.merge(extra) }
    }

    /// Returns a copy with a header member set, for example `alg`, `kid`, `typ` or `crit`.
    public func settingHeader(_ name: String, to value: JSON) -> Self {
        changed {
            $0.header[name] = value
            $0.removedHeader.remove(name)
        }
    }

    /// Returns a copy without a header member.
    public func removingHeader(_ name: String) -> Self {
        changed {
            $0.header[name] = nil
            $0.removedHeader.insert(name)
        }
    }

    /// Returns a copy with a different `auth_time`, in seconds since 1970.
    public func signedIn(at time: Int64) -> Self { setting("auth_time", to: .integer(time)) }

    /// Returns a copy with a different `iat`, in seconds since 1970.
    public func issued(at time: Int64) -> Self { setting("iat", to: .integer(time)) }

    /// Returns a copy with a different `exp`, in seconds since 1970.
    public func expiring(at time: Int64) -> Self { setting("exp", to: .integer(time)) }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension DraftToken {
    /// Returns the token as a compact JWS. `alg` and `kid` default to the key's (Firebase's custom tokens have no
    /// `kid`).
    ///
    /// - Throws: An error of libcrypto.
    public func signed(by key: SigningKey) throws(SigningKeyError) -> String {
        var defaults: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        if namesKey { defaults["kid"] = .string(key.keyID) }
        defaults["typ"] = "JWT"
        return try key.sign(header: headerText(defaults), payload: claims.bytes)
    }

    /// Returns the token with an HMAC signature (`HS256`): the form of legacy custom tokens, and of attacks that use a
    /// public key as the secret.
    ///
    /// - Throws: `keys` if libcrypto has no SHA-256.
    public func signed(secret: [UInt8]) throws(DevelopmentIdentityError) -> String {
        let input = signingInput(["alg": "HS256", "typ": "JWT"])
        guard let code = HMACSHA256.authenticate(Array(input.utf8), secret: secret) else {
            throw DevelopmentIdentityError(.keys, "libcrypto has no SHA-256")
        }
        return input + "." + Base64URL.encode(code)
    }

    /// Returns the token in the form of the Firebase emulator: `alg` is `none`, without `kid`, and with an empty
    /// signature.
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
