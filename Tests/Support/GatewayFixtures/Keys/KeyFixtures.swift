import Authentication
import JOSE

/// A key of a test, with the JWK that a source publishes for it.
struct TestKey {
    let id: String
    let jwk: String

    init(_ id: String) throws {
        self.id = id
        jwk = try SigningKey.generate(.es256, keyID: id).jwk
    }
}

extension FetchedKeySet {
    /// What a source with these keys answers.
    init(_ keys: [TestKey], maxAge: UInt64 = 3600, junk: [String] = []) throws {
        try self.init(KeySet(jwkSet: jwkSet(keys, junk: junk)), maxAge: maxAge)
    }
}

/// The JWK set of the keys, as bytes, with more members of `keys` as they are given.
func jwkSet(_ keys: [TestKey], junk: [String] = []) -> [UInt8] {
    Array(#"{"keys":[\#((keys.map(\.jwk) + junk).joined(separator: ","))]}"#.utf8)
}

extension KeyLookup {
    var keyID: String? {
        guard case .key(let key) = self else { return nil }
        return key.keyID
    }

    var isUnknown: Bool {
        guard case .unknown = self else { return false }
        return true
    }

    var isFetch: Bool {
        guard case .fetch = self else { return false }
        return true
    }

    /// The seconds of `Retry-After`; nil for another answer.
    var retryAfter: Int? {
        guard case .unavailable(let seconds) = self else { return nil }
        return seconds
    }
}
