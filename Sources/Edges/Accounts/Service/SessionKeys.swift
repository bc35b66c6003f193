package import Authentication
package import GatewayConfiguration
package import JOSE
package import Revocation
import Synchronization
import TextCoding

/// The keys of the gateway's own session cookies, shared by all gateways of a store.
package struct SessionKeys: Sendable {
    /// `iss` and `aud`.
    package let issuer: String
    /// The signing key; ES256.
    package let current: SigningKey
    /// Keys that only verify.
    let previous: [SigningKey]
    /// The view for verifiers. It never expires.
    package let view: KeySetView
    /// The keys that seal values of sign-in flows, in the order of `published`.
    let sealing: [SealingKey]

    /// The `typ` of the token in the link of a change of an address.
    static let emailType = "gatehouse-email+jwt"
    /// The `typ` of a pending token.
    package static let pendingType = "gatehouse-pending+jwt"
    /// The use of the keys that seal values of sign-in flows. Another form of these values needs another label.
    private static let sealingLabel = "gatehouse sign-in flow value, version 1"

    /// Creates the keys.
    ///
    /// - Throws: `KeySetError` if libcrypto does not accept its own keys, or `SigningKeyError` if it derives none.
    package init(issuer: String, current: SigningKey, previous: [SigningKey]) throws {
        self.issuer = issuer
        self.current = current
        self.previous = previous
        // A unique generation: the generations of all other sets begin above 2^32.
        view = KeySetView(
            keys: try KeySet(jwkSet: JWKSet.text(of: [current] + previous)), issuer: issuer, generation: 1,
            isLoaded: true, lastFetchSucceeded: true, completedFetches: 1, usableUntil: .max, cooldownUntil: .max,
            nextFetchAt: .max)
        sealing = try ([current] + previous).map { try SealingKey(derivedFrom: $0, label: Self.sealingLabel) }
    }

    /// All keys, the current one first.
    package var published: [SigningKey] { [current] + previous }
}

/// The session keys once they are loaded. The issuer, and with an embedded store the key, may have to be read from the
/// store first.
package final class SessionAuthority: Sendable {
    private let known = Mutex<SessionKeys?>(nil)

    package init() {}

    /// `nil` until the keys are loaded.
    package var keys: SessionKeys? { known.withLock { $0 } }

    /// Sets the keys, which do not change afterwards.
    func set(_ keys: SessionKeys) {
        known.withLock { $0 = keys }
    }
}

extension SessionAuthority {
    /// The names of the settings in the store.
    package static let issuerSetting = "issuer"
    package static let keySetting = "session_key"

    /// Loads the keys. Values that are not configured are read from the store, which creates them once.
    ///
    /// - Parameter files: The configured keys. `nil` if the configuration names no files.
    package func load(
        _ accounts: Configuration.Accounts, files: (current: SigningKey, previous: [SigningKey])?,
        from store: any AccountStore
    ) async throws {
        var keys = files
        if keys == nil { keys = (try await Self.key(from: store), []) }
        var issuer = accounts.issuer
        if issuer == nil { issuer = try await Self.issuer(from: store) }
        guard let keys, let issuer else { return }
        set(try SessionKeys(issuer: issuer, current: keys.current, previous: keys.previous))
    }

    private static func issuer(from store: any AccountStore) async throws -> String {
        var random = SystemRandomNumberGenerator()
        let initial = "gatehouse:" + HexDigits.text(of: (random.next(), random.next()))
        return String(decoding: try await store.setting(issuerSetting, initial: Array(initial.utf8)), as: UTF8.self)
    }

    private static func key(from store: any AccountStore) async throws -> SigningKey {
        let fresh = try SigningKey.generate(.es256, keyID: "")
        return try SigningKey(pem: try await store.setting(keySetting, initial: fresh.pem()), algorithm: .es256)
    }
}
