import JOSE
import Synchronization

/// What signs and verifies the gateway's own session cookies: the same for all gateways of a store.
struct SessionKeys: Sendable {
    /// `iss` and `aud`.
    let issuer: String
    /// Signs; ES256.
    let current: SigningKey
    /// Verify as well.
    let previous: [SigningKey]

    /// The `typ` of a session cookie's header: nothing else that is signed has it (RFC 8725 section 3.11).
    static let type = "gatehouse-session+jwt"
    /// The `typ` of a pending token's.
    static let pendingType = "gatehouse-pending+jwt"
}

/// The session keys, once they are known: the issuer, and in an embedded store the key, may have to be read from the store first.
final class SessionAuthority: Sendable {
    private let settled = Mutex<SessionKeys?>(nil)

    /// Nil: not known yet.
    var keys: SessionKeys? { settled.withLock { $0 } }

    /// They are known now, and stay as they are.
    func settle(_ keys: SessionKeys) {
        settled.withLock { $0 = keys }
    }
}
