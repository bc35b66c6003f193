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

/// Session cookies of the gateway.
@Suite struct SessionVerifierTests {
    private static let now = ManualClock.start

    private struct Rig {
        let authenticator: Authenticator
        let set: Int

        init(
            firebase: Bool = true, installs: Bool = true, providers: [Configuration.Provider] = [],
            tenant: Configuration.TenantPolicy = .none, projects: [String] = []
        ) throws {
            var identity = Configuration.Identity()
            identity.providers = providers
            if firebase { identity.firebase = Configuration.Firebase(project: TokenDraft.project) }
            identity.firebase?.tenant = tenant
            identity.firebase?.furtherProjects = projects.map { Configuration.FirebaseProject(id: $0) }
            let (table, sources) = VerifierTable.make(of: identity, hasSessions: true)
            set = sources.count
            authenticator = Authenticator(
                verifiers: table, keySets: sources.count + 1, hasher: try SHA256Hasher.required(),
                counters: WorkerCounters(routes: 1, upstreams: 1), render: { _ in .empty })
            for set in sources.indices { authenticator.install(.loaded(TokenDraft.keys), set: set) }
            if installs { authenticator.install(try SessionDraft.keys().view, set: set) }
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
            guard case .verified(let entry) = outcome(token) else { throw TestFailure("refused") }
            return entry.principal
        }
    }

    private func session(evidence: String) throws -> VerificationFailure? {
        let source = SessionDraft.source(more: #","firebase":true,"firebase_evidence":\#(evidence)"#)
        return try Rig().failure(SessionDraft.signed { $0.withHeader("src", source) })
    }

    @Test func `a session of a link from Firebase depends on its evidence`() throws {
        let source = SessionDraft.source(more: #","firebase":true,"firebase_evidence":"p\u001fgoogle.com\u001f104""#)
        let principal = try Rig().principal(SessionDraft.signed { $0.withHeader("src", source) })
        let evidence = FirebaseEvidence(project: "p", name: .identity(provider: "google.com", id: "104"))
        #expect(principal.facts.evidence == evidence.key(hasher: try .required()))
        #expect(try Rig().principal(SessionDraft.signed()).facts.evidence == nil)
    }

    @Test(arguments: [
        "7", "null", #""""#, #""p""#, #""p\u001fgoogle.com""#, #""p\u001fg\u001f""#, #""\u001fg\u001f1""#,
    ])
    func `a session with evidence of another form is rejected`(evidence: String) throws {
        #expect(try session(evidence: evidence)?.reason == .sessionSource)
    }

    @Test func `a session names its user and itself`() throws {
        let principal = try Rig().principal(SessionDraft.signed())
        #expect(principal.uid == "user-1")
        #expect(principal.session == SessionDraft.session)
        #expect(principal.signInProvider == "apple.com")
        #expect(principal.kind == .sessionCookie)
        #expect(principal.authTime?.seconds == Self.now - 100)
        #expect(principal.link == nil)
        #expect(!principal.facts.isFirebase)
        #expect(!principal.hasSecondFactor)
    }

    @Test func `the previous key is accepted`() throws {
        let draft = SessionDraft.cookie().withHeader("kid", "\"session-0\"")
        #expect(try Rig().principal(draft.signed(by: SessionDraft.previousKey)).uid == "user-1")
    }

    @Test func `without auth_time the start of the session is used`() throws {
        let principal = try Rig().principal(SessionDraft.signed { $0.with("auth_time", nil) })
        #expect(principal.authTime == nil)
        // Revocations are compared with the start of the session.
        #expect(principal.facts.validityTime.known?.seconds == Self.now - 101)
        #expect(principal.facts.hasSession)
    }

    @Test func `a session of a Firebase user is marked in its header`() throws {
        let rig = try Rig()
        let source = SessionDraft.source(more: #","firebase":true"#)
        #expect(try rig.principal(SessionDraft.signed { $0.withHeader("src", source) }).facts.isFirebase)
        // The claims come from the source and do not mark the session.
        let claim = SessionDraft.signed { $0.with("src", source) }
        #expect(try !rig.principal(claim).facts.isFirebase)
    }

    @Test func `a cookie that is renewed states the end of its session`() throws {
        let rig = try Rig()
        #expect(try rig.principal(SessionDraft.signed()).endsAt.seconds == Self.now + 86_400)
        func cookie(_ ends: String) -> String {
            SessionDraft.signed { $0.withHeader("src", SessionDraft.source(more: #","ends":"# + ends)) }
        }
        let principal = try rig.principal(cookie("\(Self.now + 900_000)"))
        #expect(principal.endsAt.seconds == Self.now + 900_000 && principal.expiresAt.seconds == Self.now + 86_400)
        #expect(principal.issuedAt?.seconds == Self.now - 50)
        // The session lasts at least as long as its cookie.
        #expect(try rig.principal(cookie("0")).endsAt.seconds == Self.now + 86_400)
        for ends in ["-1", "1.5", "\"0\"", "null", "100000000001"] {
            #expect(rig.failure(cookie(ends))?.code == .invalidSessionCookie, "\(ends)")
        }
    }

    @Test func `a session of a tenant's user names the tenant`() throws {
        let member = #"{"sign_in_provider":"password","tenant":"acme-x1"}"#
        let source = SessionDraft.source(more: #","firebase":true,"tenant":"acme-x1""#)
        let cookie = SessionDraft.signed { $0.with("firebase", member).withHeader("src", source) }
        let named = SessionDraft.source(more: #","firebase":true,"tenant":"acme-x1","user_tenant":"acme-x1""#)
        let several = SessionDraft.signed { $0.with("firebase", member).withHeader("src", named) }
        #expect(try Rig(tenant: .any).principal(several).user == UserKey(uid: "user-1", tenant: "acme-x1"))
        #expect(try Rig(tenant: .only("acme-x1")).principal(cookie).user == "user-1")
        // The key of the session's start had another form, so that its sign-outs have another key.
        #expect(try Rig(tenant: .anyOf(["acme-x1"])).failure(cookie)?.reason == .renamedUser)
        #expect(try Rig(tenant: .only("acme-x1")).failure(several)?.reason == .renamedUser)
        #expect(try Rig(tenant: .only("globex-y2")).failure(cookie)?.code == .tenantMismatch)
        #expect(try Rig(tenant: .none).failure(cookie)?.code == .tenantMismatch)
        // Claims of another provider do not identify the user of a tenant.
        let other = SessionDraft.signed { $0.with("firebase", member) }
        #expect(try Rig(tenant: .any).principal(other).user == "user-1")
    }

    @Test func `with several projects a session of a Firebase user names the project`() throws {
        func cookie(_ source: String, _ member: String = #"{"sign_in_provider":"password"}"#) -> String {
            SessionDraft.signed { $0.with("firebase", member).withHeader("src", source) }
        }
        let rig = try Rig(tenant: .any, projects: ["other-app"])
        let named = #","user_project":"other-app""#
        #expect(
            try rig.principal(cookie(Self.source(of: "other-app", named))).user
                == UserKey(uid: "user-1", tenant: nil, project: "other-app"))
        for rig in [rig, try Rig()] {
            #expect(try rig.principal(cookie(Self.source(of: TokenDraft.project))).user == "user-1")
        }
        #expect(rig.failure(cookie(Self.source(of: "third-app")))?.reason == .sessionProvider)
        #expect(try Rig().failure(cookie(Self.source(of: "other-app", named)))?.reason == .sessionProvider)
        let tenant = #"{"sign_in_provider":"password","tenant":"acme-x1"}"#
        let source = Self.source(of: TokenDraft.project, #","tenant":"acme-x1","user_tenant":"acme-x1""#)
        #expect(try rig.principal(cookie(source, tenant)).user == UserKey(uid: "user-1", tenant: "acme-x1"))
        let other = Self.source(of: "other-app", #","tenant":"acme-x1","user_tenant":"acme-x1""# + named)
        #expect(rig.failure(cookie(other, tenant))?.code == .tenantMismatch)
    }

    private static var google: Configuration.Provider {
        var provider = Configuration.Provider(
            id: "google.com", kind: .google, location: SourceLocation(origin: "test"))
        provider.idTokens = Configuration.Provider.IDTokens(
            issuers: ["https://accounts.google.com"], audiences: ["app"], keys: .url("https://keys.example"))
        return provider
    }

    /// The source of a session that an identity of Google started for a Firebase user.
    private static func linked(_ more: String = "") -> String {
        let claims = #"{"iss":"https://accounts.google.com","aud":"app"}"#
        return String(provider("google.com", "id_token", claims).dropLast()) + #","firebase":true\#(more)}"#
    }

    private static func source(of project: String, _ more: String = "") -> String {
        #"{"project":"\#(project)","firebase":true,"started":\#(now - 100)\#(more)}"#
    }

    @Test func `a session ends if the key of its user has another form`() throws {
        func cookie(_ project: String, _ more: String = "") -> String {
            SessionDraft.signed { $0.withHeader("src", Self.source(of: project, more)) }
        }
        let rig = try Rig(projects: ["other-app"])
        let first = #","user_project":"\#(TokenDraft.project)""#
        for token in [cookie(TokenDraft.project, first), cookie("other-app"), cookie("other-app", first)] {
            #expect(rig.failure(token) == VerificationFailure(code: .invalidSessionCookie, reason: .renamedUser))
        }
        // A further project renames no user of the first one.
        let linked = SessionDraft.signed { $0.withHeader("src", Self.linked()) }
        for projects in [[], ["other-app"]] {
            #expect(try Rig(providers: [Self.google], projects: projects).principal(linked).user == "user-1")
        }
        let tenant = SessionDraft.signed {
            $0.with("firebase", #"{"tenant":"acme-x1"}"#).withHeader("src", Self.linked(#","user_tenant":"acme-x1""#))
        }
        #expect(try Rig(providers: [Self.google]).failure(tenant)?.code == .tenantMismatch)
    }

    @Test func `a session that a provider's identity started names the project of the account`() throws {
        let cookie = SessionDraft.signed { $0.withHeader("src", Self.linked(#","user_project":"other-app""#)) }
        func rig(_ projects: [String]) throws -> Rig { try Rig(providers: [Self.google], projects: projects) }
        #expect(
            try rig(["other-app"]).principal(cookie).user
                == UserKey(uid: "user-1", tenant: nil, project: "other-app"))
        #expect(try rig(["third-app"]).failure(cookie)?.reason == .sessionProvider)
        #expect(try rig([]).failure(cookie)?.reason == .sessionProvider)
    }

    @Test func `a second factor is read as in Firebase tokens`() throws {
        let member = #"{"sign_in_provider":"password","sign_in_second_factor":"phone"}"#
        #expect(try Rig().principal(SessionDraft.signed { $0.with("firebase", member) }).hasSecondFactor)
    }

    private static let longText = "\"\(String(repeating: "u", count: 129))\""
    private static let future = "\(ManualClock.start + 6)"

    static let flaws =
        ([
            TokenFlaw.claim("iss", ["\"https://api.example.org\"", "\"https://api.example.com/\"", nil], .issuer),
            TokenFlaw.claim("aud", ["\"other\"", "[\"https://api.example.com\"]", nil], .audience),
            TokenFlaw.claim("sub", ["\"\"", "1", nil, longText, "\"a\\u0000b\""], .subject),
            TokenFlaw.claim("user_id", ["\"user-2\"", nil], .userID),
            TokenFlaw.claim("sid", [nil, "\"\"", "7", longText, "\"a\\nb\""], .session),
            TokenFlaw.claim("exp", [nil, "\(ManualClock.start + 5).5"], .expiryMissing),
            TokenFlaw.claim("exp", ["\(ManualClock.start)"], .expired),
            TokenFlaw.claim("iat", [nil], .issuedAt), TokenFlaw.claim("iat", [future], .issuedInFuture),
            TokenFlaw.claim("nbf", [future], .notBefore),
            TokenFlaw.claim("auth_time", ["null", "\"1\""], .authenticationTime),
            TokenFlaw.claim("auth_time", [future, "-1"], .authenticatedInFuture),
            TokenFlaw.claim("firebase", ["[]", #"{"sign_in_provider":1}"#], .firebaseMember),
            TokenFlaw.header("kid", [nil, "\"\""], .noKeyID), TokenFlaw.header("kid", ["\"session-9\""], .unknownKey),
            TokenFlaw.header("src", ["\"apple.com\"", "true"], .sessionSource),
        ] as [[TokenFlaw]]).flatMap { $0 }

    @Test(arguments: flaws)
    func `each flaw has its own reason`(_ flaw: TokenFlaw) throws {
        let reason = flaw.failure.reason
        let code: DecisionCode = reason == .expired ? .sessionCookieExpired : .invalidSessionCookie
        let failure = try Rig().failure(SessionDraft.signed(flaw.change))
        #expect(failure == VerificationFailure(code: code, reason: reason))
    }

    @Test func `D-02: an algorithm other than ES256 is rejected before a key is used`() throws {
        let rig = try Rig()
        for name in ["RS256", "none", "HS256", "ES384"] {
            let draft = SessionDraft.cookie().withHeader("alg", "\"\(name)\"")
            #expect(rig.failure(draft.unsigned + "AA")?.reason == .sessionAlgorithm)
        }
        let rsa = SessionDraft.cookie().withHeader("alg", "\"RS256\"").withHeader("kid", "\"key-1\"")
        #expect(rig.failure(rsa.signed(by: TokenDraft.key))?.reason == .sessionAlgorithm)
    }

    @Test func `H-10: a changed cookie, or one of another key, is rejected`() throws {
        let rig = try Rig()
        #expect(rig.failure(SessionDraft.cookie().signed(by: SessionDraft.forgedKey))?.reason == .signature)
        let parts = SessionDraft.signed().split(separator: ".")
        let other = SessionDraft.signed { $0.with("sub", "\"eve\"").with("user_id", "\"eve\"") }.split(separator: ".")
        #expect(rig.failure("\(parts[0]).\(other[1]).\(parts[2])")?.reason == .signature)
    }

    @Test(arguments: [
        "gatehouse-pending+jwt", "gatehouse-assertion+jwt", "GATEHOUSE-SESSION+JWT",
        "application/gatehouse-session+jwt", "JWT", nil,
    ])
    func `E-12: another type of token with the same key is not a session`(_ type: String?) throws {
        let token = SessionDraft.signed { $0.withHeader("typ", type.map { "\"\($0)\"" }) }
        for firebase in [true, false] {
            #expect(try Rig(firebase: firebase).failure(token)?.code == .invalidSessionCookie)
        }
    }

    @Test func `E-10: a session is accepted in the cookie only`() throws {
        let rig = try Rig()
        #expect(rig.failure(SessionDraft.signed(), .idToken)?.code == .invalidIDToken)
        #expect(try rig.principal(SessionDraft.signed()).uid == "user-1")
        // This applies also after it was found in the cookie.
        #expect(rig.failure(SessionDraft.signed(), .idToken)?.code == .invalidIDToken)
        #expect(try Rig(firebase: false).failure(SessionDraft.signed(), .idToken)?.code == .invalidIDToken)
    }

    @Test func `a cookie of Firebase is verified by its verifier`() throws {
        let cookie = TokenDraft.sessionCookie().signed()
        #expect(try Rig().principal(cookie).facts.isFirebase)
        #expect(
            try Rig(firebase: false).failure(cookie)
                == VerificationFailure(code: .invalidSessionCookie, reason: .issuer))
    }

    @Test func `a cookie waits for its keys unless it is rejected without them`() throws {
        let rig = try Rig(installs: false)
        guard case .awaitKeys(rig.set, 0) = rig.outcome(SessionDraft.signed()) else {
            Issue.record("the cookie does not wait for its keys")
            return
        }
        // A cookie that no key can verify is rejected immediately.
        #expect(rig.failure(SessionDraft.signed { $0.with("sid", nil) })?.reason == .session)
        rig.authenticator.install(try SessionDraft.keys().view, set: rig.set)
        #expect(try rig.principal(SessionDraft.signed()).uid == "user-1")
    }

    @Test func `keys without an issuer verify nothing`() throws {
        let rig = try Rig(installs: false)
        rig.authenticator.install(.loaded(try #require(try SessionDraft.keys().view.keys)), set: rig.set)
        #expect(rig.failure(SessionDraft.signed())?.reason == .issuer)
    }

    @Test func `a removed key is removed for cached sessions, too`() throws {
        let rig = try Rig()
        let token = SessionDraft.signed()
        #expect(try rig.principal(token).uid == "user-1")
        let keys = TokenDraft.keySet([SessionDraft.previousKey])
        rig.authenticator.install(.loaded(keys, issuer: SessionDraft.issuer, generation: 2), set: rig.set)
        #expect(rig.failure(token)?.reason == .unknownKey)
    }

    @Test(
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
    func `O-27: the source of a session must be configured and meet its constraints`(
        source: String?, reason: VerificationFailure.Reason
    ) throws {
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
        var provider = Self.google
        provider.idTokens?.hostedDomain = "example.com"
        let rig = try Rig(providers: [provider])
        let token = SessionDraft.signed { $0.withHeader("src", Self.provider("google.com", "id_token", claims)) }
        #expect(rig.failure(token)?.reason == reason)
        guard reason == nil else { return }
        let principal = try rig.principal(token)
        #expect(principal.recordedLink == IdentityLink(provider: "google.com", subject: "1"))
        #expect(principal.facts.validityTime.known == 0)
        // Opaque tokens of that provider are not accepted here.
        let opaque = SessionDraft.signed { $0.withHeader("src", Self.provider("google.com", "access_token", claims)) }
        #expect(rig.failure(opaque)?.reason == .sessionProvider)
    }
}
