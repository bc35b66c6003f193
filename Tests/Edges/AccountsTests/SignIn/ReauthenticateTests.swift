import Authentication
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

@Suite(.timeLimit(.minutes(1))) struct ReauthenticateTests {
    @Test func aFreshProofOfTheSameUserIsRecordedForTheSession() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        rig.time.advance(seconds: 1000)
        let answer = await rig.call(.reauthenticate, try await rig.proof(.google, .ada), by: caller)
        #expect(answer.code == "ok")
        #expect(answer.uid == caller.uid)
        #expect(answer.json?["signed_in_at"]?.integer == rig.now)
        let record = try await rig.store.session(caller.uid, try #require(caller.session))
        #expect(record.signedInAt?.seconds == rig.now)
        #expect(
            rig.store.view.session(caller.sessionKey, lane: 0)
                == .record(revoked: false, signedInAt: UnixTime(clamping: rig.now)))
    }

    @Test func itMakesTheCallsPossibleThatAskForARecentSignIn() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        rig.time.advance(seconds: 1000)
        let link = try await rig.proof(.oidc("corp"), .ada)
        #expect(await rig.call(.link, link, by: caller).code == "auth/requires-recent-login")
        _ = await rig.call(.reauthenticate, try await rig.proof(.google, .ada), by: caller)
        #expect(await rig.call(.link, link, by: caller).code == "ok", "the proof was not used")
    }

    @Test(arguments: [Int64.min, -.max, -1, 100_000_000_001, .max])
    func `a proof that was issued at no time is refused`(seconds: Int64) async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let body = try await rig.proof(.google, .ada) { $0.removing("auth_time").issued(at: seconds) }
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/invalid-credential")
        let record = try await rig.store.session(caller.uid, try #require(caller.session))
        #expect(record.signedInAt == nil)
    }

    @Test func anotherUserIsAMismatchAndSoIsOneWhomNobodyKnows() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        _ = try await rig.session(.google, .dennis)
        #expect(
            await rig.call(.reauthenticate, try await rig.proof(.google, .dennis), by: caller).code
                == "auth/user-mismatch")
        let stranger = try await rig.proof(.apple, .alan)
        #expect(await rig.call(.reauthenticate, stranger, by: caller).code == "auth/user-mismatch")
        let record = try await rig.store.session(caller.uid, try #require(caller.session))
        #expect(record.signedInAt == nil)
    }

    @Test(
        "the proof's own time counts, and it may be 300 seconds old",
        arguments: [(300, "ok"), (301, "auth/requires-recent-login")])
    func age(seconds: Int64, code: String) async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.apple, .alan)
        rig.time.advance(seconds: 1000)
        let body = try await rig.proof(.apple, .alan) {
            $0.signedIn(at: rig.now - seconds).issued(at: rig.now - seconds)
        }
        let answer = await rig.call(.reauthenticate, body, by: caller)
        #expect(answer.code == code)
        #expect(answer.denial?.maxAge == (code == "ok" ? nil : 300), "I-01")
        guard code == "ok" else { return }
        #expect(answer.json?["signed_in_at"]?.integer == rig.now - seconds)
    }

    @Test("I-02: a token without a time and without a nonce of ours proves no time")
    func noTime() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        rig.time.advance(seconds: 10)
        let body: JSONObject = ["provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada))]
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/invalid-credential")
    }

    @Test("I-11, O-29: when an opaque token was made proves nothing", arguments: [10, 400] as [Int64])
    func opaque(age: Int64) async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(try await rig.signIn(rig.gitHub(issuedAt: rig.now - 1)))
        #expect(caller.authTime == nil)
        rig.time.advance(seconds: 1000)
        let body = rig.gitHub(issuedAt: rig.now - age)
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/invalid-credential")
    }

    @Test("I-02: when an introspected token was issued proves nothing: it may have been renewed without the user")
    func introspected() async throws {
        let rig = try await AccountsRig()
        func body(_ text: String) -> JSONObject {
            let token = DevelopmentIdentity.OpaqueToken.introspected(for: .robot, text: text, now: rig.now)
            rig.opaque.add(token)
            return ["provider": "oauth.legacy", "access_token": .string(text)]
        }
        let answer = try await rig.signIn(body("first-token"))
        #expect(answer.claims?["auth_time"] == nil)
        let caller = try rig.caller(answer)
        #expect(await rig.call(.reauthenticate, body("renewed-token"), by: caller).code == "auth/invalid-credential")
    }

    @Test func aFirebaseUserMayProveItWithAnIDTokenOfFirebase() async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 900))
        let fresh = try FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 3).signed(
            by: TokenDraft.key)
        let answer = await rig.call(.reauthenticate, ["id_token": .string(fresh)], by: caller)
        #expect(answer.json?["signed_in_at"]?.integer == rig.now - 3)
        #expect(try await rig.store.session("ada", String(rig.now - 900)).signedInAt?.seconds == rig.now - 3)
        let other = try FirebaseToken.idToken(for: .grace, now: rig.now).signed(by: TokenDraft.key)
        #expect(await rig.call(.reauthenticate, ["id_token": .string(other)], by: caller).code == "auth/user-mismatch")
        let old = try FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 301).signed(
            by: TokenDraft.key)
        #expect(
            await rig.call(.reauthenticate, ["id_token": .string(old)], by: caller).code == "auth/requires-recent-login"
        )
    }

    @Test("a Firebase user may prove it with the identity that Firebase's token lists")
    func firebaseIdentity() async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(await rig.call(.reauthenticate, try await rig.proof(.google, .ada), by: caller).code == "ok")
        #expect(
            await rig.call(.reauthenticate, try await rig.proof(.google, .dennis), by: caller).code
                == "auth/user-mismatch")
    }

    @Test("whose identity belongs to an account here, it proves nobody else's")
    func owned() async throws {
        let rig = try await AccountsRig()
        _ = try await rig.session(.google, .ada)
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        let body = try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/user-mismatch")
    }

    @Test("an account that was made here has no identities but its links")
    func unlinked() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.google, .ada)
        #expect(await rig.call(.link, try await rig.proof(.oidc("corp"), .ada), by: caller).code == "ok")
        #expect(await rig.call(.unlink, ["provider": "google.com"], by: caller).code == "ok")
        let body = try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }
        // The session that Google's identity began ended with it.
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/session-cookie-revoked")
        let other = try rig.caller(
            try await rig.signIn(try await rig.proof(.oidc("corp"), .ada) { $0.setting("jti", to: "3") }))
        #expect(await rig.call(.reauthenticate, body, by: other).code == "auth/user-mismatch")
    }

    @Test(
        "an identity that was unlinked proves nothing any more, whatever an older cookie lists",
        arguments: [true, false])
    func unlinkedFromFirebases(isFirebases: Bool) async throws {
        let rig = try await AccountsRig()
        let user = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        func proof() async throws -> JSONObject { try await rig.proof(.oidc("corp"), .grace) }
        #expect(await rig.call(.link, try await proof(), by: user).code == "ok")
        let token = try FirebaseToken.idToken(for: .ada, now: rig.now).signed(by: TokenDraft.key)
        let answer =
            isFirebases
            ? await rig.call(.session, ["id_token": .string(token)]) : try await rig.signIn(try await proof())
        let caller = try rig.caller(answer)
        #expect(caller.identities(at: "oidc.corp") != nil)
        #expect(await rig.call(.reauthenticate, try await proof(), by: caller).code == "ok")
        #expect(await rig.call(.unlink, ["provider": "oidc.corp"], by: user).code == "ok")
        let code = isFirebases ? "auth/user-mismatch" : "auth/session-cookie-revoked"
        #expect(await rig.call(.reauthenticate, try await proof(), by: caller).code == code)
    }

    @Test("I-11: a credential without a session has nothing to record it for")
    func noSession() async throws {
        let rig = try await AccountsRig()
        let identity = try ProviderIdentity.made(
            provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        let caller = try #require(Principal(identity, hasher: try .required()))
        let body = try await rig.proof(.google, .ada)
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/operation-not-allowed")
        #expect(await rig.call(.signIn, body).code == "ok", "the proof was not used")
    }

    @Test("a provider's token with a time has a session, and its user may prove it again")
    func providerToken() async throws {
        let rig = try await AccountsRig()
        let subject = DevelopmentUser.ada.subject(at: "google.com")
        let identity = try ProviderIdentity.made(provider: "google.com", subject: subject, authTime: rig.now - 900)
        let caller = try #require(Principal(identity, hasher: try .required()))
        #expect(await rig.call(.reauthenticate, try await rig.proof(.google, .ada), by: caller).code == "ok")
        let record = try await rig.store.session("google.com:\(subject)", "google.com:\(rig.now - 900)")
        #expect(record.signedInAt?.seconds == rig.now)
    }

    @Test("H-03: a session that was revoked stays so")
    func revoked() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        try await rig.store.revokeSession(caller.uid, try #require(caller.session))
        let body = try await rig.proof(.google, .ada)
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/session-cookie-revoked")
    }

    @Test("an identity whose sign-ins were revoked since proves nothing")
    func revokedIdentity() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        #expect(await rig.call(.link, try await rig.proof(.oidc("corp"), .grace), by: caller).code == "ok")
        let other = try await rig.session(.oidc("corp"), .grace)
        let body = try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 1) }
        try await rig.store.revoke("google.com:\(DevelopmentUser.ada.subject(at: "google.com"))", at: rig.now)
        #expect(await rig.call(.reauthenticate, body, by: caller).code == "auth/session-cookie-revoked")
        #expect(await rig.call(.reauthenticate, body, by: other).code == "auth/id-token-revoked")
    }

    @Test func nobodyIsAskedToSignInFirst() async throws {
        let rig = try await AccountsRig()
        let body = try await rig.proof(.google, .ada)
        for endpoint in [AccountEndpoint.reauthenticate, .link, .unlink] {
            #expect(await rig.call(endpoint, body).code == "auth/missing-credential")
        }
    }
}
