package import GatewayCore
package import JOSE
package import Revocation

/// The properties of a principal that each decision reads. The value is small and without references, so that a cached
/// token touches few cache lines.
package struct CredentialFacts: Sendable {
    package let kind: CredentialKind
    package let hasSecondFactor: Bool
    /// Whether Firebase issued the credential, so that the user has a Firebase account.
    package let isFirebase: Bool
    /// Whether the credential has a session that the store may know. A token without a sign-in time has none.
    package let hasSession: Bool
    /// Whether the store may have a record of the identity at its provider. This is the case if the identity is linked
    /// to the account with this uid.
    package let hasLinkRecord: Bool
    /// When the user last signed in. Unknown if the credential does not state it.
    package let authTime: PossibleTime
    /// When the user last authenticated, as stated by the provider. Unknown if it is not stated.
    package let authenticatedAt: PossibleTime
    /// The time that is compared with revocations; a revocation ends what is earlier. For a gateway session it is the
    /// second before the session started, so that only a session started after the revocation survives. Otherwise it is
    /// `authTime`, or when a provider's token was issued, or unknown.
    package let validityTime: PossibleTime
    /// When the credential expires. From this time on it is invalid.
    package let expiresAt: UnixTime
    /// The store keys of the user and of this session.
    package let userKey: StoreKey
    package let sessionKey: StoreKey
    /// The store key of the identity. Without a link, the user's own key.
    package let linkKey: StoreKey
    /// The key of the evidence, if the identity belongs to the user only as long as Firebase lists it.
    package let evidence: StoreKey?

    package init(
        kind: CredentialKind, hasSecondFactor: Bool, isFirebase: Bool, hasSession: Bool, hasLinkRecord: Bool,
        authTime: PossibleTime, authenticatedAt: PossibleTime, validityTime: PossibleTime, expiresAt: UnixTime,
        userKey: StoreKey, sessionKey: StoreKey, linkKey: StoreKey, evidence: StoreKey? = nil
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
        self.evidence = evidence
    }
}

/// The verified identity of a caller. Only a verifier creates one.
///
/// An immutable class, so that the cache and the request share one copy.
package final class Principal: Sendable {
    /// The times of a credential.
    struct Times {
        var authTime: UnixTime?
        /// For a gateway session: when it started, and when its user last authenticated. Other credentials state it in
        /// `authTime`.
        var startedAt: UnixTime?
        var authenticatedAt: UnixTime?
        /// When a provider's token or a session cookie was issued. Revocations of Firebase credentials are compared
        /// with `authTime` only.
        var issuedAt: UnixTime?
        var expiresAt: UnixTime
        /// When a gateway session ends, although later cookies may follow this one. Other credentials end at
        /// `expiresAt`.
        var endsAt: UnixTime?
    }

    package let facts: CredentialFacts
    /// The complete user key. Its uid, of 1 to 128 bytes, is `sub` or derived from a provider's `sub`.
    package let user: UserKey
    /// `firebase.sign_in_provider`, such as `apple.com`.
    package let signInProvider: String?
    /// The Firebase project of the user, also of the first project, whose users' keys do not have it. `nil` for a
    /// provider's own token, and for a session of a user who is not Firebase's.
    package let project: String?
    /// The store's name of the session. `nil` without a session.
    package let session: String?
    /// The identity at a provider, from a provider's own token. `nil` for Firebase credentials and for sessions.
    package let link: IdentityLink?
    /// The identity that started the session. `nil` if the credential is not a gateway session.
    package let origin: SessionOrigin?
    /// The reason for the link of the identity that started a gateway session, if it is from Firebase.
    package let sessionEvidence: FirebaseEvidence?
    /// When the gateway session started.
    package let startedAt: UnixTime?
    /// When the credential was issued, if a provider's own token or a session cookie states it.
    package let issuedAt: UnixTime?
    /// When a gateway session ends. Its cookie may expire earlier and be renewed until then. Otherwise `expiresAt`.
    package let endsAt: UnixTime
    /// The scopes of an access token. Empty for ID tokens and session cookies.
    package let scopes: [String]
    /// All verified claims, in Firebase's form.
    package let claims: JSONDocument

    /// Creates a principal. `nil` if libcrypto fails to hash.
    ///
    /// - Parameters:
    ///   - linkKey: The store key of `link`, or of the identity that started the session, if it differs from the user's
    ///     key.
    ///   - evidence: The key of the evidence, if that identity belongs to the user by a link from Firebase.
    init?(
        accepted: AcceptedClaims, kind: CredentialKind, user: UserKey, project: String? = nil,
        signInProvider: String?, times: Times, session: String?, isFirebase: Bool, hasSecondFactor: Bool,
        scopes: [String] = [], link: IdentityLink? = nil,
        linkKey: StoreKey? = nil, evidence: StoreKey? = nil, sessionEvidence: FirebaseEvidence? = nil,
        origin: SessionOrigin? = nil, hasher: SHA256Hasher
    ) {
        // No session has an empty name.
        guard let userKey = StoreKey(user, hasher: hasher),
            let sessionKey = StoreKey(user, session: session ?? "", hasher: hasher)
        else { return nil }
        facts = CredentialFacts(
            kind: kind, hasSecondFactor: hasSecondFactor, isFirebase: isFirebase, hasSession: session != nil,
            hasLinkRecord: linkKey.map { $0 != userKey } ?? false, authTime: PossibleTime(times.authTime),
            authenticatedAt: PossibleTime(times.startedAt == nil ? times.authTime : times.authenticatedAt),
            validityTime: PossibleTime(times.startedAt?.adding(-1) ?? times.authTime ?? times.issuedAt),
            expiresAt: times.expiresAt, userKey: userKey, sessionKey: sessionKey, linkKey: linkKey ?? userKey,
            evidence: evidence)
        self.user = user
        self.project = project
        self.signInProvider = signInProvider
        self.session = session
        self.scopes = scopes
        self.link = link
        self.origin = origin
        self.sessionEvidence = sessionEvidence
        startedAt = times.startedAt
        issuedAt = times.issuedAt
        endsAt = max(times.endsAt ?? times.expiresAt, times.expiresAt)
        claims = accepted.payload
    }

    package var kind: CredentialKind { facts.kind }
    /// The uid. Without project and tenant it does not identify a user.
    package var uid: String { user.uid }
    /// When the user last signed in. `nil` if the credential does not state it.
    package var authTime: UnixTime? { facts.authTime.known }
    package var expiresAt: UnixTime { facts.expiresAt }
    package var hasSecondFactor: Bool { facts.hasSecondFactor }
    package var userKey: StoreKey { facts.userKey }
    package var sessionKey: StoreKey { facts.sessionKey }

    /// The identity at a provider that has a store record in addition to the user's. `nil` without such an identity.
    package var recordedLink: IdentityLink? { facts.hasLinkRecord ? link ?? origin?.link : nil }

    /// Returns the store's name of the session of a Firebase credential.
    static func session(authTime: UnixTime) -> String { authTime.description }

    /// The provider's name in the `auth` variable.
    package var provider: String? { signInProvider.map(Self.shortName) }

    /// Returns the short name that Realtime Database rules use, if one is documented; otherwise the sign-in provider
    /// unchanged.
    package static func shortName(of signInProvider: String) -> String {
        hasShortName(signInProvider) ? String(signInProvider.dropLast(4)) : signInProvider
    }

    /// Returns the sign-in provider of a full or short name: `google.com` for `google`.
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
