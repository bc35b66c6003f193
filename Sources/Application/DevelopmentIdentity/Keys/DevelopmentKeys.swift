public import JOSE

/// The signing keys of a development identity: one list for ID tokens, one for session cookies.
///
/// A provider signs with the last key of a list and publishes all of them, so that adding a key is a rotation and removing
/// the old one completes it.
public struct DevelopmentKeys: Sendable {
    /// What a key signs.
    public enum Use: String, Sendable, CaseIterable {
        /// ID tokens (and custom tokens, whose signature no gateway checks).
        case idToken = "id-token"
        /// Session cookies.
        case sessionCookie = "session-cookie"
    }

    private var keys: [Use: [SigningKey]] = [:]

    /// No keys at all.
    public init() {}

    /// One fresh RS256 key for each use.
    ///
    /// - Throws: what libcrypto refuses.
    public static func generate() throws(SigningKeyError) -> DevelopmentKeys {
        var made = DevelopmentKeys()
        for use in Use.allCases { made.add(try .generate(.rs256, keyID: randomKeyID()), for: use) }
        return made
    }

    /// One pair of keys for the whole process, made when first asked for: generating RSA keys is what tests wait for.
    ///
    /// - Throws: what libcrypto refuses.
    public static func shared() throws(SigningKeyError) -> DevelopmentKeys {
        try generatedOnce.get()
    }

    private static let generatedOnce = Result { () throws(SigningKeyError) in try generate() }

    /// The keys of one use, the one that signs last.
    public subscript(_ use: Use) -> [SigningKey] { keys[use] ?? [] }

    /// The key that signs: the last one added.
    public func current(for use: Use) -> SigningKey? { self[use].last }

    /// Adds a key, which from now on signs; a key of the same id is replaced.
    public mutating func add(_ key: SigningKey, for use: Use) {
        remove(keyID: key.keyID, for: use)
        keys[use, default: []].append(key)
    }

    /// Removes the key of that id, if there is one.
    public mutating func remove(keyID: String, for use: Use) {
        keys[use]?.removeAll { $0.keyID == keyID }
    }

    /// A key id like Google's: 40 random hexadecimal digits.
    public static func randomKeyID() -> String {
        String((0..<40).compactMap { _ in "0123456789abcdef".randomElement() })
    }
}

extension DevelopmentKeys {
    /// Signs a token with the current key of its kind; custom tokens with the one for ID tokens.
    ///
    /// - Throws: `keys` where there is no key of that use, or libcrypto refuses to sign.
    public func sign(_ token: FirebaseToken) throws(DevelopmentIdentityError) -> String {
        let use: Use = token.kind == .sessionCookie ? .sessionCookie : .idToken
        guard let key = current(for: use) else {
            throw DevelopmentIdentityError(.keys, "there is no \(use.rawValue) key to sign with")
        }
        return try DevelopmentIdentityError.wrapping { () throws(SigningKeyError) in try token.signed(by: key) }
    }
}
