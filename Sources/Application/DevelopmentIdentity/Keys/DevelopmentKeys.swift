public import JOSE

/// The signing keys of a development identity: one list for ID tokens, one for session cookies.
///
/// A provider signs with the last key of a list and publishes all of them. Adding a key starts a rotation, and removing
/// the old one completes it.
public struct DevelopmentKeys: Sendable {
    /// The use of a key.
    public enum Use: String, Sendable, CaseIterable {
        /// ID tokens, and custom tokens, whose signature no gateway checks.
        case idToken = "id-token"
        /// Session cookies.
        case sessionCookie = "session-cookie"
    }

    private var keys: [Use: [SigningKey]] = [:]

    /// Creates an empty set.
    public init() {}

    /// Creates one new RS256 key for each use.
    ///
    /// - Throws: An error of libcrypto.
    public static func generate() throws(SigningKeyError) -> DevelopmentKeys {
        var made = DevelopmentKeys()
        for use in Use.allCases { made.add(try .generate(.rs256, keyID: randomKeyID()), for: use) }
        return made
    }

    /// Returns the keys shared by the whole process, created on first use because generating RSA keys is slow.
    ///
    /// - Throws: An error of libcrypto.
    public static func shared() throws(SigningKeyError) -> DevelopmentKeys {
        try generatedOnce.get()
    }

    private static let generatedOnce = Result { () throws(SigningKeyError) in try generate() }

    /// The keys of one use, the signing key last.
    public subscript(_ use: Use) -> [SigningKey] { keys[use] ?? [] }

    /// Returns the signing key: the last one added.
    public func current(for use: Use) -> SigningKey? { self[use].last }

    /// Adds a key, which becomes the signing key. A key with the same ID is replaced.
    public mutating func add(_ key: SigningKey, for use: Use) {
        remove(keyID: key.keyID, for: use)
        keys[use, default: []].append(key)
    }

    /// Removes the key with that ID, if it exists.
    public mutating func remove(keyID: String, for use: Use) {
        keys[use]?.removeAll { $0.keyID == keyID }
    }

    /// Returns a key ID in Google's form: 40 random hexadecimal digits.
    public static func randomKeyID() -> String {
        String((0..<40).compactMap { _ in "0123456789abcdef".randomElement() })
    }
}

extension DevelopmentKeys {
    /// Signs a token with the current key of its kind. Custom tokens are signed with the key for ID tokens.
    ///
    /// - Throws: `keys` if there is no key for that use, or libcrypto fails to sign.
    public func sign(_ token: FirebaseToken) throws(DevelopmentIdentityError) -> String {
        let use: Use = token.kind == .sessionCookie ? .sessionCookie : .idToken
        guard let key = current(for: use) else {
            throw DevelopmentIdentityError(.keys, "there is no \(use.rawValue) key to sign with")
        }
        return try DevelopmentIdentityError.wrapping { () throws(SigningKeyError) in try token.signed(by: key) }
    }
}
