package import Authentication
package import GatewayConfiguration
import HTTPServer
package import JOSE
package import Revocation
import Synchronization

/// What signs and verifies the gateway's own session cookies: the same for all gateways of a store.
package struct SessionKeys: Sendable {
    /// `iss` and `aud`.
    package let issuer: String
    /// Signs; ES256.
    package let current: SigningKey
    /// Verify as well.
    let previous: [SigningKey]
    /// What verifiers need; it never ends.
    package let view: KeySetView

    /// The `typ` of a pending token's.
    package static let pendingType = "gatehouse-pending+jwt"

    /// - Throws: when libcrypto does not take its own keys back.
    package init(issuer: String, current: SigningKey, previous: [SigningKey]) throws(KeySetError) {
        self.issuer = issuer
        self.current = current
        self.previous = previous
        // No other set of this process has this generation: theirs begin above 2^32.
        view = KeySetView(
            keys: try KeySet(jwkSet: JWKSet.text(of: [current] + previous)), issuer: issuer, generation: 1,
            isLoaded: true, lastFetchSucceeded: true, completedFetches: 1, usableUntil: .max, cooldownUntil: .max,
            nextFetchAt: .max)
    }

    /// All of them, the current one first.
    package var published: [SigningKey] { [current] + previous }
}

/// The session keys, once they are known: the issuer, and in an embedded store the key, may have to be read from the store first.
package final class SessionAuthority: Sendable {
    private let known = Mutex<SessionKeys?>(nil)

    package init() {}

    /// Nil: not known yet.
    package var keys: SessionKeys? { known.withLock { $0 } }

    /// They are known now, and stay as they are.
    func set(_ keys: SessionKeys) {
        known.withLock { $0 = keys }
    }
}

extension SessionAuthority {
    /// The names of what a store keeps for it.
    package static let issuerSetting = "issuer"
    package static let keySetting = "session_key"

    /// Reads what is not configured from the store, where it is made once.
    ///
    /// - Parameter files: the configured keys; nil: none are.
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
        let initial = "gatehouse:" + Hexadecimal.text(of: (random.next(), random.next()))
        return String(decoding: try await store.setting(issuerSetting, initial: Array(initial.utf8)), as: UTF8.self)
    }

    private static func key(from store: any AccountStore) async throws -> SigningKey {
        let fresh = try SigningKey.generate(.es256, keyID: "")
        return try SigningKey(pem: try await store.setting(keySetting, initial: fresh.pem()), algorithm: .es256)
    }
}
