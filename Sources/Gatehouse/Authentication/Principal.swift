import JOSE

/// Who a verified credential says the caller is. Only a verifier makes one.
///
/// A class, so that the cache and the request share one copy; immutable.
final class Principal: Sendable {
    let kind: CredentialKind
    /// The uid: `sub`, 1 to 128 bytes.
    let uid: String
    /// `firebase.sign_in_provider`, such as `apple.com`.
    let signInProvider: String?
    /// When the user last proved who they are, in seconds since 1970.
    let authTime: Int64
    /// When the credential ends, in seconds since 1970; it does not count from then on.
    let expiresAt: Int64
    let hasSecondFactor: Bool
    /// All claims as they were verified.
    let claims: JSONDocument
    /// Where the store keeps what it knows of the user, and of this session.
    let userKey: StoreKey
    let sessionKey: StoreKey

    /// Nil when libcrypto fails to hash.
    init?(
        accepted: AcceptedClaims, kind: CredentialKind, uid: String, signInProvider: String?, authTime: Int64,
        expiresAt: Int64, hasSecondFactor: Bool, hasher: SHA256Hasher
    ) {
        guard let userKey = StoreKey(user: uid, hasher: hasher),
            let sessionKey = StoreKey(user: uid, session: Self.session(authTime: authTime), hasher: hasher)
        else { return nil }
        self.kind = kind
        self.uid = uid
        self.signInProvider = signInProvider
        self.authTime = authTime
        self.expiresAt = expiresAt
        self.hasSecondFactor = hasSecondFactor
        claims = accepted.payload
        self.userKey = userKey
        self.sessionKey = sessionKey
    }

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
