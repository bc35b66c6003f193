package import GatewayCore
package import JOSE
package import Revocation

/// What the decision on each request asks of a principal, apart from what is read once: small and without references, so
/// that a look at a cached token touches few cache lines.
package struct CredentialFacts: Sendable {
    package let kind: CredentialKind
    package let hasSecondFactor: Bool
    /// Whether Firebase issued the credential, and so keeps an account for the user.
    package let isFirebase: Bool
    /// Whether there is a session that the store may know: a token that does not say when its user signed in has none.
    package let hasSession: Bool
    /// Whether the store may know something of the identity at its provider besides what it knows of the user: the identity is linked to an
    /// account, whose the uid is.
    package let hasLinkRecord: Bool
    /// When the user last proved who they are; unknown where the credential does not say.
    package let authTime: PossibleTime
    /// When the user last authenticated, by the provider's word; unknown where nobody says.
    package let authenticatedAt: PossibleTime
    /// The time that revocations are compared with, which end what is earlier: of a session of ours the second before it began, so that only a
    /// session that began after a revocation outlives it; else `authTime`, else when a provider's token was issued, else unknown.
    package let validityTime: PossibleTime
    /// When the credential ends; it does not count from then on.
    package let expiresAt: UnixTime
    /// Where the store keeps what it knows of the user, and of this session.
    package let userKey: StoreKey
    package let sessionKey: StoreKey
    /// Where it keeps what it knows of the identity; without a link the user's own.
    package let linkKey: StoreKey

    package init(
        kind: CredentialKind, hasSecondFactor: Bool, isFirebase: Bool, hasSession: Bool, hasLinkRecord: Bool,
        authTime: PossibleTime, authenticatedAt: PossibleTime, validityTime: PossibleTime, expiresAt: UnixTime,
        userKey: StoreKey, sessionKey: StoreKey, linkKey: StoreKey
    ) {
        self.kind = kind
        self.hasSecondFactor = hasSecondFactor
        self.isFirebase = isFirebase
        self.hasSession = hasSession
        self.hasLinkRecord = hasLinkRecord
        self.authTime = authTime
        self.authenticatedAt = authenticatedAt
        self.validityTime = validityTime
        self.expiresAt = expiresAt
        self.userKey = userKey
        self.sessionKey = sessionKey
        self.linkKey = linkKey
    }
}

/// Who a verified credential says the caller is. Only a verifier makes one.
///
/// A class, so that the cache and the request share one copy; immutable.
package final class Principal: Sendable {
    /// What a credential says about time.
    struct Times {
        var authTime: UnixTime?
        /// Of a session of ours: when it began, and when its user last authenticated. Other credentials tell that by `authTime`.
        var startedAt: UnixTime?
        var authenticatedAt: UnixTime?
        /// When a provider's token was issued; revocations of Firebase's credentials are compared with `authTime` alone.
        var issuedAt: UnixTime?
        var expiresAt: UnixTime
    }

    package let standing: CredentialFacts
    /// The user's complete name. Its uid, of 1 to 128 bytes, is `sub`, or derived from a provider's `sub`.
    package let user: UserKey
    /// `firebase.sign_in_provider`, such as `apple.com`.
    package let signInProvider: String?
    /// How the store names the session; nil: there is none.
    package let session: String?
    /// The identity at a provider that a provider's own token names; nil for Firebase's credentials and for sessions.
    package let link: IdentityLink?
    /// What began the session; nil for what is no session of ours.
    package let origin: SessionOrigin?
    /// When the session of ours began.
    package let startedAt: UnixTime?
    /// When the credential was issued, where a provider's own token says so.
    package let issuedAt: UnixTime?
    /// What an access token was given for; empty for ID tokens and session cookies.
    package let scopes: [String]
    /// All claims as they were verified, told as Firebase tells them.
    package let claims: JSONDocument

    /// - Parameter linkKey: the key of the name of `link`, or of the identity that began the session, where that is not the uid.
    /// - Returns: nil when libcrypto fails to hash.
    init?(
        accepted: AcceptedClaims, kind: CredentialKind, user: UserKey, signInProvider: String?, times: Times,
        session: String?, isFirebase: Bool, hasSecondFactor: Bool, scopes: [String] = [], link: IdentityLink? = nil,
        linkKey: StoreKey? = nil, origin: SessionOrigin? = nil, hasher: SHA256Hasher
    ) {
        // Nobody's session has the empty name.
        guard let userKey = StoreKey(user, hasher: hasher),
            let sessionKey = StoreKey(user, session: session ?? "", hasher: hasher)
        else { return nil }
        standing = CredentialFacts(
            kind: kind, hasSecondFactor: hasSecondFactor, isFirebase: isFirebase, hasSession: session != nil,
            hasLinkRecord: linkKey.map { $0 != userKey } ?? false, authTime: PossibleTime(times.authTime),
            authenticatedAt: PossibleTime(times.startedAt == nil ? times.authTime : times.authenticatedAt),
            validityTime: PossibleTime(times.startedAt?.adding(-1) ?? times.authTime ?? times.issuedAt),
            expiresAt: times.expiresAt, userKey: userKey, sessionKey: sessionKey, linkKey: linkKey ?? userKey)
        self.user = user
        self.signInProvider = signInProvider
        self.session = session
        self.scopes = scopes
        self.link = link
        self.origin = origin
        startedAt = times.startedAt
        issuedAt = times.issuedAt
        claims = accepted.payload
    }

    package var kind: CredentialKind { standing.kind }
    /// The uid, which alone names no user.
    package var uid: String { user.uid }
    /// When the user last proved who they are; nil where the credential does not say.
    package var authTime: UnixTime? { standing.authTime.known }
    package var expiresAt: UnixTime { standing.expiresAt }
    package var hasSecondFactor: Bool { standing.hasSecondFactor }
    package var userKey: StoreKey { standing.userKey }
    package var sessionKey: StoreKey { standing.sessionKey }

    /// The identity at a provider whose record in the store concerns the credential besides the user's own; nil: there is none.
    package var recordedLink: IdentityLink? { standing.hasLinkRecord ? link ?? origin?.link : nil }

    /// How the store names the session of a Firebase credential.
    static func session(authTime: UnixTime) -> String { authTime.description }

    /// The provider's name in the `auth` variable.
    package var provider: String? { signInProvider.map(Self.shortName) }

    /// The short name that Realtime Database rules use, where one is documented; else the sign-in provider as it is.
    package static func shortName(of signInProvider: String) -> String {
        hasShortName(signInProvider) ? String(signInProvider.dropLast(4)) : signInProvider
    }

    /// The sign-in provider that a name means: `google.com` for `google` too.
    package static func signInProvider(named name: String) -> String {
        hasShortName(name + ".com") ? name + ".com" : name
    }

    private static func hasShortName(_ signInProvider: String) -> Bool {
        switch signInProvider {
        case "google.com", "facebook.com", "github.com", "twitter.com": true
        default: false
        }
    }
}

extension Principal {
    /// The `auth` variable of security rules as compact JSON: `uid`, `provider`, and `token` with all claims.
    package var variable: [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(claims.byteCount + 256)
        json.append(contentsOf: "{\"uid\":".utf8)
        JSONWriter.appendString(uid, to: &json)
        json.append(contentsOf: ",\"provider\":".utf8)
        if let provider {
            JSONWriter.appendString(provider, to: &json)
        } else {
            json.append(contentsOf: "null".utf8)
        }
        json.append(contentsOf: ",\"token\":".utf8)
        claims.root.appendCompact(to: &json)
        json.append(UInt8(ascii: "}"))
        return json
    }
}
