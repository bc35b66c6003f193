import JOSE

/// A token whose claims and header a test changes before it is signed. Values are JSON text.
struct TokenDraft {
    static let project = "my-app"
    static let key = makeKey("key-1")
    /// A key that is published in addition to ``key``, with another ID.
    static let secondKey = makeKey("key-2")
    /// An unpublished key with a published ID.
    static let forgedKey = makeKey("key-1")
    static let keys = keySet([key, secondKey])

    var header: [String: String] = ["alg": "\"RS256\"", "kid": "\"key-1\"", "typ": "\"JWT\""]
    var claims: [String: String]

    /// An ID token of `user-1` in Firebase's format. It was issued, and the user signed in, 100 seconds ago.
    static func idToken(now: Int64 = ManualClock.start) -> TokenDraft {
        TokenDraft(claims: [
            "iss": "\"https://securetoken.google.com/\(project)\"", "aud": "\"\(project)\"", "sub": "\"user-1\"",
            "user_id": "\"user-1\"", "iat": "\(now - 100)", "auth_time": "\(now - 100)", "exp": "\(now + 3500)",
            "email": "\"a@example.com\"", "email_verified": "true",
            "firebase": #"{"identities":{},"sign_in_provider":"google.com"}"#,
        ])
    }

    static func sessionCookie(now: Int64 = ManualClock.start) -> TokenDraft {
        idToken(now: now).with("iss", "\"https://session.firebase.google.com/\(project)\"")
    }

    /// Returns the token with another value of a claim. `nil` removes the claim.
    func with(_ name: String, _ value: String?) -> TokenDraft {
        var copy = self
        copy.claims[name] = value
        return copy
    }

    /// Returns the token with another value of a header member. `nil` removes the member.
    func withHeader(_ name: String, _ value: String?) -> TokenDraft {
        var copy = self
        copy.header[name] = value
        return copy
    }

    func signed(by key: SigningKey = TokenDraft.key) -> String {
        (try? key.sign(header: Self.object(header), payload: Array(Self.object(claims).utf8))) ?? ""
    }

    /// Returns the token without a signature, as the emulator issues it.
    var unsigned: String { "\(Self.encoded(Self.object(header))).\(Self.encoded(Self.object(claims)))." }

    static func keySet(_ keys: [SigningKey]) -> KeySet {
        let text = "{\"keys\":[\(keys.map(\.jwk).joined(separator: ","))]}"
        return (try? KeySet(jwkSet: Array(text.utf8))) ?? KeySet()
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        Base64URL.encode(Array(text.utf8), into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func object(_ members: [String: String]) -> String {
        "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static func makeKey(_ id: String, _ algorithm: Algorithm = .rs256) -> SigningKey {
        guard let key = try? SigningKey.generate(algorithm, keyID: id) else {
            preconditionFailure("libcrypto cannot generate a key")
        }
        return key
    }
}

extension SHA256Hasher {
    struct Missing: Error {}

    static func required() throws -> SHA256Hasher {
        guard let hasher = SHA256Hasher() else { throw Missing() }
        return hasher
    }
}
