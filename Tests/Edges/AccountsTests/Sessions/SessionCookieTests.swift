import Authentication
import Authorization
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import Revocation
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(5))) struct SessionCookieTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `a cookie verifies as a session cookie`() async throws {
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let caller = try rig.caller(answer)
        #expect(caller.uid == answer.uid && caller.kind == .sessionCookie)
        #expect(caller.signInProvider == "google.com" && caller.session == answer.claims?["sid"]?.string)
        #expect(caller.authTime?.seconds == rig.now && !caller.facts.isFirebase)
        let header = try UnverifiedJWS(try #require(answer.token)).header.root
        #expect(header.members.map(\.name) == ["alg", "kid", "typ", "src"])
        #expect(header["alg"]?.equals("ES256") == true && header["typ"]?.equals("gatehouse-session+jwt") == true)
    }

    @Test func `H-09: a session id has 128 random bits`() async throws {
        var names: Set<String> = []
        for number in 0..<20 {
            let body = try await rig.proof(.google, .ada) { $0.setting("jti", to: .integer(Int64(number))) }
            let name = try #require(try await rig.signIn(body).claims?["sid"]?.string)
            #expect(name.utf8.count == 32)
            names.insert(name)
        }
        #expect(names.count == 20)
    }

    @Test func `the claims of the token itself are left out`() async throws {
        let body = try await rig.proof(.google, .ada) {
            $0.setting("at_hash", to: "h").setting("jti", to: "j").setting("sid", to: "theirs")
                .setting("nbf", to: .integer(rig.now))
        }
        let answer = try await rig.signIn(body)
        let claims = try #require(answer.claims)
        for name in ["azp", "nonce", "at_hash", "c_hash", "nbf", "jti"] { #expect(claims[name] == nil, "\(name)") }
        for name in ["iss", "aud"] { #expect(claims[name]?.string == AccountsRig.issuer) }
        for name in ["sub", "user_id"] { #expect(claims[name]?.string == answer.uid) }
        #expect(claims["sid"]?.string != "theirs" && claims["email"]?.string == "ada@example.com")
        #expect(claims["picture"]?.string == DevelopmentUser.ada.picture && claims["iat"]?.integer == rig.now)
        #expect(claims["firebase"]?["identities"]?["email"]?.elements.first { _ in true }?.string == "ada@example.com")
    }

    @Test func `a second factor at the provider is a second factor of the session`() async throws {
        let body = try await rig.proof(.google, .ada) { $0.setting("amr", to: ["pwd", "mfa"]) }
        #expect(try rig.caller(try await rig.signIn(body)).hasSecondFactor)
        let without = try await rig.proof(.google, .ada) { $0.setting("amr", to: ["pwd"]) }
        #expect(try !rig.caller(try await rig.signIn(without)).hasSecondFactor)
    }

    @Test(arguments: [DevelopmentUser.barbara, .hedy])
    func `Microsoft identities have the same form as in Firebase`(user: DevelopmentUser) async throws {
        let first = try await rig.signIn(try await rig.proof(.microsoft, user))
        let uid = try #require(first.uid)
        let identities = first.claims?["firebase"]?["identities"]
        #expect(identities?["microsoft.com"]?.elements.map(\.string) == [user.subject(at: "microsoft.com")])
        // The same identity through another credential of the account.
        let linked = try await rig.store.claim(IdentityLink(provider: "github.com", subject: "583231"), for: uid)
        guard case .linked = linked else { return #expect(Bool(false)) }
        let second = try await rig.signIn(rig.gitHub())
        let known = second.claims?["firebase"]?["identities"]
        #expect(known?["microsoft.com"]?.elements.map(\.string) == [user.subject(at: "microsoft.com")])
    }

    @Test func `a cookie that browsers would drop is rejected with the reason`() async throws {
        let body = try await rig.proof(.google, .ada) {
            $0.setting("groups", to: .string(String(repeating: "g", count: 3000)))
        }
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "auth/invalid-credential")
        #expect(answer.denial?.detail?.contains("cookie") == true)
        let fits = try await rig.proof(.google, .ada) {
            $0.setting("groups", to: .string(String(repeating: "g", count: 1500)))
        }
        let token = try #require(try await rig.signIn(fits).token)
        #expect(token.utf8.count <= SessionIssuer.maximumTokenSize)
    }
}

/// `POST session`: sessions of Firebase's users.
@Suite(.timeLimit(.minutes(5))) struct FirebaseSessionTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private func body(_ token: FirebaseToken, _ more: JSONObject = [:]) throws -> JSONObject {
        var body: JSONObject = ["id_token": .string(try token.signed(by: TokenDraft.key))]
        body.merge(more)
        return body
    }

    @Test func `a fresh ID token starts a session`() async throws {
        let token = FirebaseToken.idToken(for: .ada, now: rig.now - 300)
        let answer = await rig.call(.session, try body(token, ["expires_in": 300]))
        #expect(answer.code == "ok" && answer.uid == "ada")
        let caller = try rig.caller(answer)
        #expect(caller.uid == "ada" && caller.authTime?.seconds == rig.now - 300)
        #expect(caller.facts.isFirebase, "Identity Toolkit reports its status")
        #expect(caller.session != String(rig.now - 300))
        #expect(answer.claims?["role"]?.string == "admin", "custom claims stay")
        #expect(answer.claims?["exp"]?.integer == rig.now + 300)
    }

    @Test func `I-02: the sign-in must be recent, not the token`() async throws {
        let token = FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 301)
        let answer = await rig.call(.session, try body(token))
        #expect(answer.code == "auth/requires-recent-login" && answer.denial?.maxAge == 300)
        try await rig.store.recordSignIn("ada", String(rig.now - 301), at: rig.now, expires: nil)
        #expect(
            await rig.code(.session, try body(token)) == "auth/requires-recent-login",
            "a recorded sign-in is not a proof")
    }

    @Test func `H-01: a revoked user or session gets no cookie`() async throws {
        let token = FirebaseToken.idToken(for: .ada, now: rig.now - 10)
        try await rig.store.revokeSession("ada", String(rig.now - 10))
        #expect(await rig.code(.session, try body(token)) == "auth/id-token-revoked")
        try await rig.store.revoke("ada", at: rig.now)
        let other = token.signedIn(at: rig.now - 5)
        #expect(await rig.code(.session, try body(other)) == "auth/id-token-revoked")
        #expect(await rig.code(.session, try body(token.signedIn(at: rig.now))) == "ok")
        try await rig.store.setDisabled("ada", true)
        #expect(await rig.code(.session, try body(token.signedIn(at: rig.now))) == "auth/user-disabled", "H-02")
    }

    @Test func `durations are checked`() async throws {
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        #expect(
            await rig.code(.session, try body(token, ["expires_in": 299]))
                == "auth/invalid-session-cookie-duration")
    }

    @Test func `only an ID token of Firebase is accepted`() async throws {
        let cookie = try FirebaseToken.sessionCookie(for: .ada, now: rig.now).signed(by: TokenDraft.key)
        for token in [cookie, try rig.idToken(.google, .ada), SessionDraft.signed(), "x"] {
            #expect(await rig.code(.session, ["id_token": .string(token)]) == "auth/invalid-credential")
        }
    }

    @Test func `linked identities are in the claims`() async throws {
        _ = try await rig.store.claim(IdentityLink(provider: "github.com", subject: "583231"), for: "ada")
        let answer = await rig.call(.session, try body(.idToken(for: .ada, now: rig.now)))
        let identities = answer.claims?["firebase"]?["identities"]
        #expect(identities?["github.com"]?.elements.map(\.string) == ["583231"])
        #expect(identities?["google.com"]?.elements.map(\.string) == ["104242424242424242424"])
    }

    @Test func `Identity Toolkit is queried if it is the revocation source`() async throws {
        let toolkit = ChangingAccounts([.account(validSince: nil, disabled: true)])
        let rig = try await AccountsRig(parts: { $0.firebase = toolkit })
        #expect(await rig.code(.session, try body(.idToken(for: .ada, now: rig.now))) == "auth/user-disabled")
        #expect(await rig.code(.signIn, try await rig.proof(.google, .ada)) == "ok", "not a Firebase user")
        let down = ChangingAccounts([.unavailable])
        let other = try await AccountsRig(parts: { $0.firebase = down })
        #expect(await other.code(.session, try body(.idToken(for: .ada, now: rig.now))) == "auth/store-unavailable")
    }
}

@Suite(.timeLimit(.minutes(5))) struct SignOutTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test(arguments: ["", "{}", #"{"everywhere":false}"#])
    func `signing out ends only this session`(text: String) async throws {
        let (one, two) = (try await rig.session(), try await rig.session())
        let answer = await rig.call(.signOut, text: text, by: one)
        #expect(answer.code == "ok" && answer.cookie == .clear)
        #expect(rig.store.view.session(one.sessionKey, lane: 0) == .record(revoked: true, signedInAt: nil))
        #expect(rig.store.view.session(two.sessionKey, lane: 0) == .none)
        #expect(rig.store.view.user(one.userKey, lane: 0) == .none)
    }

    @Test(arguments: [false, true])
    func `signing out everywhere ends all sessions`(isFirebase: Bool) async throws {
        let caller = try await isFirebase ? rig.caller(firebase: .idToken(for: .ada, now: rig.now)) : rig.session()
        let answer = await rig.call(.signOut, ["everywhere": true], by: caller)
        #expect(answer.code == "ok" && answer.cookie == .clear)
        let revoked = UserLookup.record(validSince: UnixTime(clamping: rig.now), disabled: false)
        #expect(rig.store.view.user(caller.userKey, lane: 0) == revoked)
        guard !isFirebase else { return }
        #expect(rig.store.view.session(caller.sessionKey, lane: 0) == .record(revoked: true, signedInAt: nil))
    }

    @Test func `only signing out everywhere needs a recent sign-in`() async throws {
        let caller = try await rig.session()
        rig.time.advance(seconds: 301)
        let answer = await rig.call(.signOut, ["everywhere": true], by: caller)
        #expect(answer.code == "auth/requires-recent-login")
        #expect(rig.store.view.user(caller.userKey, lane: 0) == .none)
        #expect(await rig.code(.signOut, by: caller) == "ok")
    }

    @Test func `an anonymous sign-out clears the cookie`() async throws {
        for text in ["", "{}", #"{"everywhere":true}"#] {
            #expect(await rig.call(.signOut, text: text).cookie == .clear)
        }
    }

    @Test func `the record of a session expires with its cookie`() async throws {
        let caller = try await rig.session()
        _ = await rig.call(.signOut, by: caller)
        rig.time.advance(seconds: 432_001)
        #expect(try await rig.store.purge(now: rig.now) >= 1)
        let session = try #require(caller.session)
        #expect(try await rig.store.session(caller.uid, session).revoked == false)
    }

    @Test func `H-05: a signed-out session stays ended for refreshed tokens`() async throws {
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        let caller = try rig.caller(firebase: token)
        let proof = try token.setting("jti", to: "2").signed(by: TokenDraft.key)
        #expect(await rig.code(.reauthenticate, ["id_token": .string(proof)], by: caller) == "ok")
        #expect(await rig.code(.signOut, by: caller) == "ok")
        rig.time.advance(seconds: 10_000_000)
        try await rig.store.purge(now: rig.now)
        let session = try #require(caller.session)
        #expect(try await rig.store.session("ada", session).revoked)
    }
}

@Suite(.timeLimit(.minutes(5))) struct AuthVariableTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `the caller is reported as to the upstream`() async throws {
        let caller = try await rig.session()
        let answer = await rig.call(.auth, by: caller)
        #expect(Array(answer.text.utf8) == caller.variable)
        #expect(answer.json?["provider"]?.equals("google") == true)
        #expect(await rig.call(.auth).text == "null")
    }
}
