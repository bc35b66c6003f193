@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures
import JOSE

@testable import Authentication
@testable import GatewayCore
@testable import Revocation

/// The credentials of the comparison. Tokens are signed once.
extension ComparedCredential {
    private static let now = ManualClock.start
    /// A session of `user-1`, who signed in 100 seconds ago.
    private static let recent = subject("user-1", session: now - 100)

    private static func subject(_ uid: String, session: Int64? = nil) -> Subject {
        Subject(user: UserKey(uid), session: session.map { "\($0)" })
    }

    private static func bearer(_ name: String, _ token: String, _ subject: Subject? = nil) -> ComparedCredential {
        ComparedCredential(name: name, fields: [("Authorization", "Bearer \(token)")], subject: subject)
    }

    private static func cookie(_ name: String, _ token: String, _ subject: Subject? = nil) -> ComparedCredential {
        ComparedCredential(name: name, fields: [("Cookie", "a=1; __session=\(token)")], subject: subject)
    }

    private static func firebase(_ more: String, provider: String = "google.com") -> String {
        #"{"identities":{},"sign_in_provider":"\#(provider)"\#(more)}"#
    }

    private static let token = TokenDraft.idToken().signed()
    private static let sessionToken = TokenDraft.sessionCookie().signed()
    static let validCookie = cookie("session cookie", sessionToken, recent)
    static let validToken = bearer("ID token", token, recent)
    static let none = ComparedCredential(name: "none")

    /// Credentials that identify a user, in the fields that every route reads.
    static let valid: [ComparedCredential] = [
        validToken, validCookie,
        bearer(
            "second factor",
            TokenDraft.idToken().with("firebase", firebase(#","sign_in_second_factor":"totp""#)).signed(), recent),
        bearer(
            "signed in long ago", TokenDraft.idToken().with("auth_time", "\(now - 4000)").signed(),
            subject("user-1", session: now - 4000)),
        cookie(
            "session cookie of long ago", TokenDraft.sessionCookie().with("auth_time", "\(now - 4000)").signed(),
            subject("user-1", session: now - 4000)),
        bearer(
            "another user",
            TokenDraft.idToken().with("sub", "\"eve\"").with("user_id", "\"eve\"")
                .with("email_verified", "false").with("firebase", firebase("", provider: "password")).signed(),
            subject("eve", session: now - 100)),
        bearer("Apple's token", ProviderSample.apple.signed(), subject("apple.com:user-1")),
        bearer(
            "OIDC token with a second factor",
            ProviderSample.oidc.signed { $0.with("acr", "\"mfa\"").with("auth_time", "\"\(now - 100)\"") }),
        bearer(
            "OIDC token with a sign-in time",
            ProviderSample.oidc.signed { $0.with("acr", "\"mfa\"").with("auth_time", "\(now - 100)") },
            subject("oidc.corp:user-1", session: now - 100)),
        bearer("opaque token", "opaque-active", subject("oauth.legacy:alice")),
        bearer(
            "opaque token with a sign-in time", "opaque-signed-in", subject("oauth.legacy:alice", session: now - 100)),
    ]

    /// Credentials that identify no user, and requests without a credential.
    static let invalid: [ComparedCredential] = [
        none,
        bearer("expired", TokenDraft.idToken().with("exp", "\(now)").signed()),
        bearer("wrong audience", TokenDraft.idToken().with("aud", "\"other\"").signed()),
        bearer("wrong issuer", TokenDraft.idToken().with("iss", "\"https://evil.example\"").signed()),
        bearer("forged", TokenDraft.idToken().signed(by: TokenDraft.forgedKey)),
        bearer("unknown key", TokenDraft.idToken().withHeader("kid", "\"key-9\"").signed()),
        bearer("no key id", TokenDraft.idToken().withHeader("kid", nil).signed()),
        bearer("issued in the future", TokenDraft.idToken().with("iat", "\(now + 60)").signed()),
        bearer("signed in in the future", TokenDraft.idToken().with("auth_time", "\(now + 60)").signed()),
        bearer("no sign-in time", TokenDraft.idToken().with("auth_time", nil).signed()),
        bearer("another user's sub", TokenDraft.idToken().with("user_id", "\"eve\"").signed()),
        bearer("tenant", TokenDraft.idToken().with("firebase", firebase(#","tenant":"t-1""#)).signed()),
        bearer("pending token", TokenDraft.idToken().withHeader("typ", "\"gatehouse-pending+jwt\"").signed()),
        bearer("not JSON", "a.b.c"), bearer("unsigned", TokenDraft.idToken().unsigned),
        bearer("empty", ""), bearer("not a token", "a b"), bearer("long", String(repeating: "x", count: 20_000)),
        ComparedCredential(name: "Basic", fields: [("Authorization", "Basic eDp5")]),
        ComparedCredential(name: "empty field", fields: [("Authorization", "")]),
        ComparedCredential(name: "lower case", fields: [("authorization", "bearer \(token)")], subject: recent),
        ComparedCredential(
            name: "two fields", fields: [("Authorization", "Bearer \(token)"), ("Authorization", "Bearer other")]),
        ComparedCredential(
            name: "token and cookie",
            fields: [("Authorization", "Bearer \(token)"), ("Cookie", "__session=\(sessionToken)")]),
        ComparedCredential(
            name: "the same token twice",
            fields: [("Authorization", "Bearer \(token)"), ("Cookie", "__session=\(token)")]),
        ComparedCredential(name: "Basic and cookie", fields: [("Authorization", "Basic eDp5")] + validCookie.fields),
        ComparedCredential(
            name: "two cookies", fields: [("Cookie", "__session=\(sessionToken); __session=\(token)")]),
        cookie("empty cookie", ""), cookie("ID token in the cookie", token), cookie("broken cookie", "a.b.c"),
        cookie("expired cookie", TokenDraft.sessionCookie().with("exp", "\(now - 1)").signed()),
        cookie("forged cookie", TokenDraft.sessionCookie().signed(by: TokenDraft.forgedKey)),
        bearer("cookie as a token", sessionToken),
        bearer("Apple's expired token", ProviderSample.apple.signed { $0.with("exp", "\(now - 1)") }),
        bearer("Apple's token for another client", ProviderSample.apple.signed { $0.with("aud", "\"other\"") }),
        bearer("Google's token", ProviderSample.google.signed()),
        bearer("inactive opaque token", "opaque-inactive"), bearer("expired opaque token", "opaque-expired"),
        bearer("foreign opaque token", "opaque-foreign"), bearer("opaque token without a user", "opaque-nameless"),
        bearer("opaque token of a broken provider", "opaque-broken"),
        ComparedCredential(name: "in the query", query: "access_token=\(token)", subject: recent),
        ComparedCredential(name: "opaque in the query", query: "access_token=opaque-active&b=%20"),
        ComparedCredential(name: "broken in the query", query: "a=b&access_token=%zz"),
        ComparedCredential(name: "twice in the query", query: "access_token=\(token)&access_token=\(token)"),
        ComparedCredential(
            name: "in the query and the field", fields: [("Authorization", "Bearer \(token)")],
            query: "access_token=other"),
        ComparedCredential(
            name: "in the protocol", fields: handshake + [("Sec-WebSocket-Protocol", "bearer, \(token), chat")],
            subject: recent),
        ComparedCredential(
            name: "bearer without a token", fields: handshake + [("Sec-WebSocket-Protocol", "chat, bearer")]),
        ComparedCredential(name: "handshake with a cookie", fields: handshake + validCookie.fields, subject: recent),
        ComparedCredential(
            name: "handshake from another site",
            fields: handshake + validCookie.fields + [("Origin", "https://evil.example")], subject: recent),
    ]

    static let handshake: [(name: String, value: String)] = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Version", "13"),
    ]

    // MARK: - Accounts of the gateway

    /// Session cookies of the gateway, signed by this key, and tokens of identities with and without owners.
    static func accounts(signedBy key: SigningKey) -> [ComparedCredential] {
        func session(
            _ name: String, _ subject: Subject? = nil, by signer: SigningKey? = nil,
            _ change: (TokenDraft) -> TokenDraft = { $0 }
        ) -> ComparedCredential {
            cookie(
                name, change(SessionDraft.cookie().withHeader("kid", "\"\(key.keyID)\"")).signed(by: signer ?? key),
                subject)
        }
        let apple =
            #"{"provider":"apple.com","subject":"1","credential":"id_token","started":\#(now - 100)"#
            + #","claims":{"iss":"https://appleid.apple.com","aud":"client-1"}}"#
        let own = Subject(user: "user-1", session: SessionDraft.session)
        return [
            session("session", own),
            session("session of an identity", Subject(user: "user-1", session: own.session, link: "apple.com:1")) {
                $0.withHeader("src", apple)
            },
            session("session of another client") {
                $0.withHeader("src", apple.replacing("client-1", with: "client-2"))
            },
            session("session of a provider that is not configured") {
                $0.withHeader("src", apple.replacing("\"apple.com\"", with: "\"yahoo.com\""))
            },
            session("session of another project") { $0.withHeader("src", #"{"project":"other","started":1}"#) },
            session("session without an origin") { $0.withHeader("src", nil) },
            session("expired session") { $0.with("exp", "\(now)") },
            session("forged session", by: SessionDraft.forgedKey),
            session("session of another gateway") { $0.with("iss", "\"https://other.example\"") },
            session("session that began in the future") {
                $0.withHeader("src", SessionDraft.source(now: now + 1000))
            },
            session("pending token in the cookie") { $0.withHeader("typ", "\"gatehouse-pending+jwt\"") },
            bearer("session as a token", session("", own).fields[0].value.replacing("a=1; __session=", with: "")),
            bearer("unlinked identity", ProviderSample.apple.signed(), subject("apple.com:user-1")),
            bearer("linked identity", ProviderSample.apple.signed { $0.with("sub", "\"linked\"") }),
            bearer(
                "identity whose owner cannot be read",
                ProviderSample.apple.signed { $0.with("sub", "\"unreadable\"") }),
            bearer("unlinked opaque token", "opaque-active", subject("oauth.legacy:alice")),
            validToken, validCookie, none,
        ]
    }

    // MARK: - Firebase accounts

    /// A token for each state that Identity Toolkit reports.
    static let firebaseAccounts =
        [
            "fb-good", "fb-disabled", "fb-revoked", "fb-same-second", "fb-deleted", "fb-unavailable",
        ].map { uid in
            bearer(
                uid, TokenDraft.idToken().with("sub", "\"\(uid)\"").with("user_id", "\"\(uid)\"").signed(),
                subject(uid, session: now - 100))
        } + [validCookie, valid[6], valid[9], none]
}

extension ComparedRecords {
    private static func user(_ name: String, since: Int64? = nil, disabled: Bool = false) -> ComparedRecords {
        let record = UserRecord(
            validSince: since.map { UnixTime(clamping: ManualClock.start + $0) }, disabled: disabled)
        return ComparedRecords(name: name, user: RecordWord(record))
    }

    private static func session(
        _ name: String, revoked: Bool = false, at time: Int64? = nil, authenticated: Bool = false
    ) -> ComparedRecords {
        let record = SessionRecord(
            revoked: revoked, signedInAt: time.map { UnixTime(clamping: ManualClock.start + $0) },
            isAuthenticated: authenticated)
        return ComparedRecords(name: name, session: RecordWord(record))
    }

    static let all: [ComparedRecords] = [
        ComparedRecords(name: "none"), user("disabled", disabled: true),
        user("disabled and revoked", since: -50, disabled: true),
        user("revoked before", since: -200), user("revoked in the same second", since: -100),
        user("revoked", since: -50),
        session("session revoked", revoked: true), session("proof", at: -10),
        session("authenticated proof", at: -10, authenticated: true), session("old proof", at: -1000),
        session("proof in the future", at: 60), ComparedRecords(name: "faulty user", user: .faulty),
        ComparedRecords(name: "faulty session", session: .faulty),
        ComparedRecords(
            name: "faulty user, session revoked", user: .faulty, session: session("", revoked: true).session),
    ]

    /// The records of the identity that began a session, in the same states.
    static let ofIdentities: [ComparedRecords] =
        [all[0], all[1], all[5], all[6], all[11]]
        + [1, 3, 4, 5, 11].map { index in
            ComparedRecords(name: "identity: \(all[index].name)", link: all[index].user)
        } + [
            ComparedRecords(name: "revoked, identity disabled", user: all[5].user, link: all[1].user),
            ComparedRecords(name: "faulty user, identity revoked", user: .faulty, link: all[5].user),
        ]

    /// Records that the gateway or `explain` cannot read.
    static let unreadable: [ComparedRecords] = [all[0], all[1], all[8]].flatMap { state in
        [Source.stale, .hidden].map { source in
            var state = state
            state = ComparedRecords(name: "\(state.name), \(source)", user: state.user, session: state.session)
            state.source = source
            return state
        }
    }
}
