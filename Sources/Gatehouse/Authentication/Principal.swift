import JOSE

/// What the decision on each request asks of a principal, apart from what is read once: small and without references, so
/// that a look at a cached token touches few cache lines.
struct Standing: Sendable {
    let kind: CredentialKind
    let hasSecondFactor: Bool
    /// Whether Firebase issued the credential, and so keeps an account for the user.
    let isFirebase: Bool
    /// Whether there is a session that the store may know: a token that does not say when its user signed in has none.
    let hasSession: Bool
    /// Whether the store may know something of the identity at its provider besides what it knows of the user: the identity is linked to an
    /// account, whose the uid is.
    let hasLinkRecord: Bool
    /// When the user last proved who they are, in seconds since 1970; `unknown` where the credential does not say.
    let authTime: Int64
    /// The time that revocations are compared with: `authTime`, else when a provider's token was issued, else `unknown`.
    let validityTime: Int64
    /// When the credential ends, in seconds since 1970; it does not count from then on.
    let expiresAt: Int64
    /// Where the store keeps what it knows of the user, and of this session.
    let userKey: StoreKey
    let sessionKey: StoreKey
    /// Where it keeps what it knows of the identity; without a link the user's own.
    let linkKey: StoreKey

    /// A time that is not known: before all times, so that it is never recent and any revocation covers it.
    static let unknown = Int64.min
}

/// Who a verified credential says the caller is. Only a verifier makes one.
///
/// A class, so that the cache and the request share one copy; immutable.
final class Principal: Sendable {
    /// What a credential says about time, in seconds since 1970.
    struct Times {
        var authTime: Int64?
        /// When a provider's token was issued; revocations of Firebase's credentials are compared with `authTime` alone.
        var issuedAt: Int64?
        var expiresAt: Int64
    }

    let standing: Standing
    /// The uid, 1 to 128 bytes: `sub`, or what is derived from a provider's.
    let uid: String
    /// `firebase.sign_in_provider`, such as `apple.com`.
    let signInProvider: String?
    /// How the store names the session; nil: there is none.
    let session: String?
    /// The identity at a provider that a provider's own token names; nil for Firebase's credentials and for sessions.
    let link: IdentityLink?
    /// When the credential was issued, where a provider's own token says so.
    let issuedAt: Int64?
    /// What an access token was given for; empty for ID tokens and session cookies.
    let scopes: [String]
    /// All claims as they were verified, told as Firebase tells them.
    let claims: JSONDocument

    /// - Parameter linkKey: the key of the name of `link`, where that is not the uid.
    /// - Returns: nil when libcrypto fails to hash.
    init?(
        accepted: AcceptedClaims, kind: CredentialKind, uid: String, signInProvider: String?, times: Times,
        session: String?, isFirebase: Bool, hasSecondFactor: Bool, scopes: [String] = [], link: IdentityLink? = nil,
        linkKey: StoreKey? = nil, hasher: SHA256Hasher
    ) {
        // Nobody's session has the empty name.
        guard let userKey = StoreKey(user: uid, hasher: hasher),
            let sessionKey = StoreKey(user: uid, session: session ?? "", hasher: hasher)
        else { return nil }
        standing = Standing(
            kind: kind, hasSecondFactor: hasSecondFactor, isFirebase: isFirebase, hasSession: session != nil,
            hasLinkRecord: linkKey.map { $0 != userKey } ?? false, authTime: times.authTime ?? Standing.unknown,
            validityTime: times.authTime ?? times.issuedAt ?? Standing.unknown, expiresAt: times.expiresAt,
            userKey: userKey, sessionKey: sessionKey, linkKey: linkKey ?? userKey)
        self.uid = uid
        self.signInProvider = signInProvider
        self.session = session
        self.scopes = scopes
        self.link = link
        issuedAt = times.issuedAt
        claims = accepted.payload
    }

    var kind: CredentialKind { standing.kind }
    /// When the user last proved who they are; nil where the credential does not say.
    var authTime: Int64? { standing.authTime == Standing.unknown ? nil : standing.authTime }
    var expiresAt: Int64 { standing.expiresAt }
    var hasSecondFactor: Bool { standing.hasSecondFactor }
    var userKey: StoreKey { standing.userKey }
    var sessionKey: StoreKey { standing.sessionKey }

    /// How the store names the session of a Firebase credential.
    static func session(authTime: Int64) -> String { String(authTime) }

    /// The provider's name in the `auth` variable.
    var provider: String? { signInProvider.map(Self.shortName) }

    /// The short name that Realtime Database rules use, where one is documented; else the sign-in provider as it is.
    static func shortName(of signInProvider: String) -> String {
        hasShortName(signInProvider) ? String(signInProvider.dropLast(4)) : signInProvider
    }

    /// The sign-in provider that a name means: `google.com` for `google` too.
    static func signInProvider(named name: String) -> String {
        hasShortName(name + ".com") ? name + ".com" : name
    }

    private static func hasShortName(_ signInProvider: String) -> Bool {
        switch signInProvider {
        case "google.com", "facebook.com", "github.com", "twitter.com": true
        default: false
        }
    }
}
