import JOSE

/// What the decision on each request asks of a principal, apart from what is read once: small and without references, so
/// that a look at a cached token touches few cache lines.
struct Standing: Sendable {
    let kind: CredentialKind
    let hasSecondFactor: Bool
    /// When the user last proved who they are, in seconds since 1970.
    let authTime: Int64
    /// When the credential ends, in seconds since 1970; it does not count from then on.
    let expiresAt: Int64
    /// Where the store keeps what it knows of the user, and of this session.
    let userKey: StoreKey
    let sessionKey: StoreKey
}

/// Who a verified credential says the caller is. Only a verifier makes one.
///
/// A class, so that the cache and the request share one copy; immutable.
final class Principal: Sendable {
    let standing: Standing
    /// The uid: `sub`, 1 to 128 bytes.
    let uid: String
    /// `firebase.sign_in_provider`, such as `apple.com`.
    let signInProvider: String?
    /// All claims as they were verified.
    let claims: JSONDocument

    /// Nil when libcrypto fails to hash.
    init?(
        accepted: AcceptedClaims, kind: CredentialKind, uid: String, signInProvider: String?, authTime: Int64,
        expiresAt: Int64, hasSecondFactor: Bool, hasher: SHA256Hasher
    ) {
        guard let userKey = StoreKey(user: uid, hasher: hasher),
            let sessionKey = StoreKey(user: uid, session: Self.session(authTime: authTime), hasher: hasher)
        else { return nil }
        standing = Standing(
            kind: kind, hasSecondFactor: hasSecondFactor, authTime: authTime, expiresAt: expiresAt, userKey: userKey,
            sessionKey: sessionKey)
        self.uid = uid
        self.signInProvider = signInProvider
        claims = accepted.payload
    }

    var kind: CredentialKind { standing.kind }
    var authTime: Int64 { standing.authTime }
    var expiresAt: Int64 { standing.expiresAt }
    var hasSecondFactor: Bool { standing.hasSecondFactor }
    var userKey: StoreKey { standing.userKey }
    var sessionKey: StoreKey { standing.sessionKey }

    /// How the store names the session of a token without a session id of its own.
    static func session(authTime: Int64) -> String { String(authTime) }

    /// The provider's name in the `auth` variable: the short name that Realtime Database rules use where one is documented.
    var provider: String? {
        switch signInProvider {
        case "google.com": "google"
        case "facebook.com": "facebook"
        case "github.com": "github"
        case "twitter.com": "twitter"
        default: signInProvider
        }
    }
}
