import Accounts
import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// What counts as a session cookie of the gateway's own, and what does not.
@Suite struct SessionVerifierTests {
    private static let now = ManualClock.start

    private struct Rig {
        let authenticator: Authenticator
        let set: Int

        init(
            firebase: Bool = true, installs: Bool = true, providers: [Configuration.Provider] = [],
            tenant: Configuration.TenantPolicy = .none
        ) throws {
            var identity = Configuration.Identity()
            identity.providers = providers
            if firebase { identity.firebase = Configuration.Firebase(project: TokenDraft.project) }
            identity.firebase?.tenant = tenant
            let (table, sources) = VerifierTable.make(of: identity, hasSessions: true)
            set = sources.count
            authenticator = Authenticator(
                verifiers: table, keySets: sources.count + 1, hasher: try SHA256Hasher.required(),
                counters: WorkerCounters(routes: 1, upstreams: 1),
                render: { _ in RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false) })
            for set in sources.indices { authenticator.install(Self.view(TokenDraft.keys), set: set) }
            if installs { authenticator.install(try SessionDraft.keys().view, set: set) }
        }

        private static func view(_ keys: KeySet) -> KeySetView {
            KeySetView(
                keys: keys, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
                usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        }

        func outcome(
            _ token: String, _ kind: CredentialKind = .sessionCookie, now: Int64 = SessionVerifierTests.now
        ) -> Authenticator.Outcome {
            Array(token.utf8).withUnsafeBytes {
                authenticator.authenticate($0, kind: kind, now: now, monotonic: 0, waitingSince: nil)
            }
        }

        func failure(_ token: String, _ kind: CredentialKind = .sessionCookie) -> VerificationFailure? {
            if case .refused(let failure) = outcome(token, kind) { failure } else { nil }
        }

        func principal(_ token: String) throws -> Principal {
            guard case .verified(let entry) = outcome(token) else { throw Refused() }
            return entry.principal
        }
    }

    private struct Refused: Error {}

    @Test func aSessionNamesItsUserAndItself() throws {
        let principal = try Rig().principal(SessionDraft.signed())
        #expect(principal.uid == "user-1")
        #expect(principal.session == SessionDraft.session)
        #expect(principal.signInProvider == "apple.com")
        #expect(principal.kind == .sessionCookie)
        #expect(principal.authTime?.seconds == Self.now - 100)
        #expect(principal.link == nil)
        #expect(!principal.standing.isFirebase)
        #expect(!principal.hasSecondFactor)
    }

    @Test func aKeyOfBeforeCountsAsWell() throws {
        let draft = SessionDraft.cookie().withHeader("kid", "\"session-0\"")
        #expect(try Rig().principal(draft.signed(by: SessionDraft.previousKey)).uid == "user-1")
    }

    @Test func withoutAProofsTimeNothingIsKnownOfIt() throws {
        let principal = try Rig().principal(SessionDraft.signed { $0.with("auth_time", nil) })
        #expect(principal.authTime == nil)
        // Revocations are compared with the session's start alone: only one that begins later outlives them.
        #expect(principal.standing.validityTime.known?.seconds == Self.now - 101)
        #expect(principal.standing.hasSession)
    }

    @Test func aSessionOfFirebasesUserSaysSoInItsHeader() throws {
        let rig = try Rig()
        let source = SessionDraft.source(more: #","firebase":true"#)
        #expect(try rig.principal(SessionDraft.signed { $0.withHeader("src", source) }).standing.isFirebase)
        // Claims are the source's: none of them says it.
        let claim = SessionDraft.signed { $0.with("src", source) }
        #expect(try !rig.principal(claim).standing.isFirebase)
    }

    @Test func `a session of a tenant's user names the tenant`() throws {
        let member = #"{"sign_in_provider":"password","tenant":"acme-x1"}"#
        let source = SessionDraft.source(more: #","firebase":true,"tenant":"acme-x1""#)
        let cookie = SessionDraft.signed { $0.with("firebase", member).withHeader("src", source) }
        #expect(try Rig(tenant: .any).principal(cookie).user == UserKey(uid: "user-1", tenant: "acme-x1"))
        #expect(try Rig(tenant: .only("acme-x1")).principal(cookie).user == "user-1")
        #expect(try Rig(tenant: .only("globex-y2")).failure(cookie)?.code == .tenantMismatch)
        #expect(try Rig(tenant: .none).failure(cookie)?.code == .tenantMismatch)
        // Claims of another provider do not make a tenant's user.
        let other = SessionDraft.signed { $0.with("firebase", member) }
        #expect(try Rig(tenant: .any).principal(other).user == "user-1")
    }

    @Test func aSecondFactorIsToldAsFirebaseTellsIt() throws {
        let member = #"{"sign_in_provider":"password","sign_in_second_factor":"phone"}"#
        #expect(try Rig().principal(SessionDraft.signed { $0.with("firebase", member) }).hasSecondFactor)
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String?
        let reason: VerificationFailure.Reason
        var isHeader = false
        var code = DecisionCode.invalidSessionCookie
        var testDescription: String { "\(name): \(value ?? "missing")" }
    }

    static let flaws: [Flaw] = [
        Flaw(name: "iss", value: "\"https://api.example.org\"", reason: .issuer),
        Flaw(name: "iss", value: "\"https://api.example.com/\"", reason: .issuer),
        Flaw(name: "iss", value: nil, reason: .issuer),
        Flaw(name: "aud", value: "\"other\"", reason: .audience),
        Flaw(name: "aud", value: "[\"https://api.example.com\"]", reason: .audience),
        Flaw(name: "aud", value: nil, reason: .audience),
        Flaw(name: "sub", value: "\"\"", reason: .subject),
        Flaw(name: "sub", value: "1", reason: .subject),
        Flaw(name: "sub", value: nil, reason: .subject),
        Flaw(name: "sub", value: "\"\(String(repeating: "u", count: 129))\"", reason: .subject),
        Flaw(name: "sub", value: "\"a\\u0000b\"", reason: .subject),
        Flaw(name: "user_id", value: "\"user-2\"", reason: .userID),
        Flaw(name: "user_id", value: nil, reason: .userID),
        Flaw(name: "sid", value: nil, reason: .session),
        Flaw(name: "sid", value: "\"\"", reason: .session),
        Flaw(name: "sid", value: "7", reason: .session),
        Flaw(name: "sid", value: "\"\(String(repeating: "s", count: 129))\"", reason: .session),
        Flaw(name: "sid", value: "\"a\\nb\"", reason: .session),
        Flaw(name: "exp", value: nil, reason: .expiryMissing),
        Flaw(name: "exp", value: "\(ManualClock.start + 5).5", reason: .expiryMissing),
        Flaw(name: "exp", value: "\(ManualClock.start)", reason: .expired, code: .sessionCookieExpired),
        Flaw(name: "iat", value: nil, reason: .issuedAt),
        Flaw(name: "iat", value: "\(ManualClock.start + 6)", reason: .issuedInFuture),
        Flaw(name: "nbf", value: "\(ManualClock.start + 6)", reason: .notBefore),
        Flaw(name: "auth_time", value: "null", reason: .authenticationTime),
        Flaw(name: "auth_time", value: "\"1\"", reason: .authenticationTime),
        Flaw(name: "auth_time", value: "\(ManualClock.start + 6)", reason: .authenticatedInFuture),
        Flaw(name: "auth_time", value: "-1", reason: .authenticatedInFuture),
        Flaw(name: "firebase", value: "[]", reason: .firebaseMember),
        Flaw(name: "firebase", value: #"{"sign_in_provider":1}"#, reason: .firebaseMember),
        Flaw(name: "kid", value: nil, reason: .noKeyID, isHeader: true),
        Flaw(name: "kid", value: "\"\"", reason: .noKeyID, isHeader: true),
        Flaw(name: "kid", value: "\"session-9\"", reason: .unknownKey, isHeader: true),
        Flaw(name: "src", value: "\"apple.com\"", reason: .sessionSource, isHeader: true),
        Flaw(name: "src", value: "true", reason: .sessionSource, isHeader: true),
    ]

    @Test(arguments: flaws)
    func eachFlawIsRefusedForItself(_ flaw: Flaw) throws {
        let token = SessionDraft.signed {
            flaw.isHeader ? $0.withHeader(flaw.name, flaw.value) : $0.with(flaw.name, flaw.value)
        }
        #expect(try Rig().failure(token) == VerificationFailure(code: flaw.code, reason: flaw.reason))
    }

    @Test("D-02: an algorithm that is not ES256 is refused before any key is looked at")
    func algorithms() throws {
        let rig = try Rig()
        for name in ["RS256", "none", "HS256", "ES384"] {
            let draft = SessionDraft.cookie().withHeader("alg", "\"\(name)\"")
            #expect(rig.failure(draft.unsigned + "AA")?.reason == .sessionAlgorithm)
        }
        let rsa = SessionDraft.cookie().withHeader("alg", "\"RS256\"").withHeader("kid", "\"key-1\"")
        #expect(rig.failure(rsa.signed(by: TokenDraft.key))?.reason == .sessionAlgorithm)
    }

    @Test("H-10: a cookie that somebody changed, or signed with another key, is refused")
    func signatures() throws {
        let rig = try Rig()
        #expect(rig.failure(SessionDraft.cookie().signed(by: SessionDraft.forgedKey))?.reason == .signature)
        let parts = SessionDraft.signed().split(separator: ".")
        let other = SessionDraft.signed { $0.with("sub", "\"eve\"").with("user_id", "\"eve\"") }.split(separator: ".")
        #expect(rig.failure("\(parts[0]).\(other[1]).\(parts[2])")?.reason == .signature)
    }

    @Test(
        "E-12: another type of token of the same key is no session",
        arguments: [
            "gatehouse-pending+jwt", "gatehouse-assertion+jwt", "GATEHOUSE-SESSION+JWT",
            "application/gatehouse-session+jwt", "JWT", nil,
        ])
    func types(_ type: String?) throws {
        let token = SessionDraft.signed { $0.withHeader("typ", type.map { "\"\($0)\"" }) }
        for firebase in [true, false] {
            #expect(try Rig(firebase: firebase).failure(token)?.code == .invalidSessionCookie)
        }
    }

    @Test("E-10: a session counts in the cookie only")
    func places() throws {
        let rig = try Rig()
        #expect(rig.failure(SessionDraft.signed(), .idToken)?.code == .invalidIDToken)
        #expect(try rig.principal(SessionDraft.signed()).uid == "user-1")
        // Also once it was found in the cookie.
        #expect(rig.failure(SessionDraft.signed(), .idToken)?.code == .invalidIDToken)
        #expect(try Rig(firebase: false).failure(SessionDraft.signed(), .idToken)?.code == .invalidIDToken)
    }

    @Test func firebasesCookiesGoToFirebase() throws {
        let cookie = TokenDraft.sessionCookie().signed()
        #expect(try Rig().principal(cookie).standing.isFirebase)
        #expect(
            try Rig(firebase: false).failure(cookie)
                == VerificationFailure(code: .invalidSessionCookie, reason: .issuer))
    }

    @Test func aCookieWaitsUntilItsKeysAreKnown() throws {
        let rig = try Rig(installs: false)
        guard case .awaitKeys(rig.set, 0) = rig.outcome(SessionDraft.signed()) else {
            Issue.record("it does not wait")
            return
        }
        // What no keys could mend is refused at once.
        #expect(rig.failure(SessionDraft.signed { $0.with("sid", nil) })?.reason == .session)
        rig.authenticator.install(try SessionDraft.keys().view, set: rig.set)
        #expect(try rig.principal(SessionDraft.signed()).uid == "user-1")
    }

    @Test func keysWithoutAnIssuerVerifyNothing() throws {
        let rig = try Rig(installs: false)
        let view = KeySetView(
            keys: try SessionDraft.keys().view.keys, generation: 1, isLoaded: true, lastFetchSucceeded: true,
            usableUntil: .max, cooldownUntil: .max)
        rig.authenticator.install(view, set: rig.set)
        #expect(rig.failure(SessionDraft.signed())?.reason == .issuer)
    }

    @Test func aKeyThatIsGoneIsGoneForFoundSessionsToo() throws {
        let rig = try Rig()
        let token = SessionDraft.signed()
        #expect(try rig.principal(token).uid == "user-1")
        let view = KeySetView(
            keys: TokenDraft.keySet([SessionDraft.previousKey]), issuer: SessionDraft.issuer, generation: 2,
            isLoaded: true, lastFetchSucceeded: true, usableUntil: .max, cooldownUntil: .max)
        rig.authenticator.install(view, set: rig.set)
        #expect(rig.failure(token)?.reason == .unknownKey)
    }

    @Test(
        "O-27: what began a session has to be configured, with constraints that it meets",
        arguments: [
            (nil, .sessionSource), (#""firebase""#, .sessionSource), ("{}", .sessionSource),
            (#"{"project":"another","started":1}"#, .sessionProvider),
            (#"{"project":"\#(TokenDraft.project)","tenant":"t","started":1}"#, .tenant),
            (#"{"project":"\#(TokenDraft.project)"}"#, .sessionStart),
            (#"{"project":"\#(TokenDraft.project)","started":-1}"#, .sessionStart),
            (#"{"project":"\#(TokenDraft.project)","started":"1"}"#, .sessionStart),
            (#"{"project":"\#(TokenDraft.project)","started":100000000001}"#, .sessionStart),
            (#"{"project":"\#(TokenDraft.project)","started":1,"authenticated_at":1e300}"#, .authenticationTime),
            (provider("google.com"), .sessionProvider),
        ] as [(String?, VerificationFailure.Reason)])
    func origins(source: String?, reason: VerificationFailure.Reason) throws {
        #expect(try Rig().failure(SessionDraft.signed { $0.withHeader("src", source) })?.reason == reason)
    }

    private static func provider(_ id: String, _ credential: String = "id_token", _ claims: String = "{}") -> String {
        #"{"provider":"\#(id)","subject":"1","credential":"\#(credential)","claims":\#(claims),"started":1}"#
    }

    @Test(
        arguments: [
            (#"{"iss":"https://accounts.google.com","aud":"app","hd":"example.com"}"#, nil),
            (#"{"iss":"https://accounts.google.com","aud":"other","hd":"example.com"}"#, .audience),
            (#"{"iss":"https://accounts.google.com","aud":"app","azp":"other","hd":"example.com"}"#, .authorizedParty),
            (#"{"iss":"https://accounts.google.com","aud":"app","hd":"other.example"}"#, .hostedDomain),
            (#"{"iss":"https://accounts.google.com","aud":"app"}"#, .hostedDomain),
            (#"{"iss":"https://other.example","aud":"app","hd":"example.com"}"#, .issuer),
        ] as [(String, VerificationFailure.Reason?)])
    func `a provider's constraints hold for its sessions`(claims: String, reason: VerificationFailure.Reason?) throws {
        var provider = Configuration.Provider(
            id: "google.com", kind: .google, location: SourceLocation(origin: "test"))
        provider.idTokens = Configuration.Provider.IDTokens(
            issuers: ["https://accounts.google.com"], audiences: ["app"], keys: .url("https://keys.example"))
        provider.idTokens?.hostedDomain = "example.com"
        let rig = try Rig(providers: [provider])
        let token = SessionDraft.signed { $0.withHeader("src", Self.provider("google.com", "id_token", claims)) }
        #expect(rig.failure(token)?.reason == reason)
        guard reason == nil else { return }
        let principal = try rig.principal(token)
        #expect(principal.recordedLink == IdentityLink(provider: "google.com", subject: "1"))
        #expect(principal.standing.validityTime.known == 0)
        // Opaque tokens of that provider do not count here.
        let opaque = SessionDraft.signed { $0.withHeader("src", Self.provider("google.com", "access_token", claims)) }
        #expect(rig.failure(opaque)?.reason == .sessionProvider)
    }
}
