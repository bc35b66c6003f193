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

@Suite(.timeLimit(.minutes(5))) struct ReauthenticateTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `a fresh proof of the same user is in the next cookie of the session`() async throws {
        let caller = try await rig.session()
        rig.time.advance(seconds: 1000)
        let answer = await rig.call(.reauthenticate, try await rig.proof(.google, .ada), by: caller)
        #expect(answer.code == "ok" && answer.uid == caller.uid)
        #expect(answer.json?["signed_in_at"]?.integer == rig.now)
        let after = try rig.caller(answer)
        #expect(after.authTime?.seconds == rig.now && after.endsAt == caller.endsAt)
        #expect(after.startedAt == caller.startedAt && after.origin?.link == caller.origin?.link)
        #expect(
            rig.store.view.session(caller.sessionKey, lane: 0) == .record(revoked: true, signedInAt: nil))
    }

    @Test func `a proof permits calls that need a recent sign-in`() async throws {
        let caller = try await rig.session()
        rig.time.advance(seconds: 1000)
        let link = try await rig.proof(.oidc("corp"), .ada)
        #expect(await rig.code(.link, link, by: caller) == "auth/requires-recent-login")
        _ = await rig.call(.reauthenticate, try await rig.proof(.google, .ada), by: caller)
        #expect(await rig.code(.link, link, by: caller) == "ok", "the proof remains unused")
    }

    @Test(arguments: [Int64.min, -.max, -1, 100_000_000_001, .max])
    func `a proof with an invalid issue time is rejected`(seconds: Int64) async throws {
        let caller = try await rig.session()
        let body = try await rig.proof(.google, .ada) { $0.removing("auth_time").issued(at: seconds) }
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/invalid-credential")
        let record = try await rig.store.session(caller.uid, try #require(caller.session))
        #expect(record.signedInAt == nil)
    }

    @Test func `a proof of another or unknown user is a mismatch`() async throws {
        let caller = try await rig.session()
        _ = try await rig.session(.google, .dennis)
        #expect(
            await rig.code(.reauthenticate, try await rig.proof(.google, .dennis), by: caller)
                == "auth/user-mismatch")
        let stranger = try await rig.proof(.apple, .alan)
        #expect(await rig.code(.reauthenticate, stranger, by: caller) == "auth/user-mismatch")
        let record = try await rig.store.session(caller.uid, try #require(caller.session))
        #expect(record.signedInAt == nil)
    }

    @Test(arguments: [(300, "ok"), (301, "auth/requires-recent-login")])
    func `the time of the proof applies, and it may be 300 seconds old`(seconds: Int64, code: String) async throws {
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

    @Test func `I-02: a token without a time and without a nonce of ours proves no time`() async throws {
        let caller = try await rig.session()
        rig.time.advance(seconds: 10)
        let body: JSONObject = ["provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada))]
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/invalid-credential")
    }

    @Test(arguments: [10, 400] as [Int64])
    func `I-11, O-29: the creation time of an opaque token proves nothing`(age: Int64) async throws {
        let caller = try rig.caller(try await rig.signIn(rig.gitHub(issuedAt: rig.now - 1)))
        #expect(caller.authTime == nil)
        rig.time.advance(seconds: 1000)
        let body = rig.gitHub(issuedAt: rig.now - age)
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/invalid-credential")
    }

    @Test func `I-02: the issue time of an introspected token proves nothing`() async throws {
        func body(_ text: String) -> JSONObject {
            let token = DevelopmentIdentity.OpaqueToken.introspected(for: .robot, text: text, now: rig.now)
            rig.opaque.add(token)
            return ["provider": "oauth.legacy", "access_token": .string(text)]
        }
        let answer = try await rig.signIn(body("first-token"))
        #expect(answer.claims?["auth_time"] == nil)
        let caller = try rig.caller(answer)
        #expect(await rig.code(.reauthenticate, body("renewed-token"), by: caller) == "auth/invalid-credential")
    }

    @Test func `a Firebase user may use an ID token of Firebase`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 900))
        let fresh = try FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 3).signed(
            by: TokenDraft.key)
        let answer = await rig.call(.reauthenticate, ["id_token": .string(fresh)], by: caller)
        #expect(answer.json?["signed_in_at"]?.integer == rig.now - 3)
        #expect(try await rig.store.session("ada", String(rig.now - 900)).signedInAt?.seconds == rig.now - 3)
        let other = try FirebaseToken.idToken(for: .grace, now: rig.now).signed(by: TokenDraft.key)
        #expect(await rig.code(.reauthenticate, ["id_token": .string(other)], by: caller) == "auth/user-mismatch")
        let old = try FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 301).signed(
            by: TokenDraft.key)
        #expect(await rig.code(.reauthenticate, ["id_token": .string(old)], by: caller) == "auth/requires-recent-login")
    }

    @Test func `a Firebase user may use an identity that the Firebase token lists`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(await rig.code(.reauthenticate, try await rig.proof(.google, .ada), by: caller) == "ok")
        #expect(
            await rig.code(.reauthenticate, try await rig.proof(.google, .dennis), by: caller)
                == "auth/user-mismatch")
    }

    @Test func `an identity of an account proves no Firebase user`() async throws {
        _ = try await rig.session(.google, .ada)
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        let body = try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/user-mismatch")
    }

    @Test func `an account that was created here has only its links as identities`() async throws {
        let caller = try await rig.session(.google, .ada)
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .ada), by: caller) == "ok")
        #expect(await rig.code(.unlink, ["provider": "google.com"], by: caller) == "ok")
        let body = try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }
        // The session that the Google identity began ended with it.
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/session-cookie-revoked")
        let other = try rig.caller(
            try await rig.signIn(try await rig.proof(.oidc("corp"), .ada) { $0.setting("jti", to: "3") }))
        #expect(await rig.code(.reauthenticate, body, by: other) == "auth/user-mismatch")
    }

    @Test(arguments: [true, false])
    func `an unlinked identity proves nothing, even if an older cookie lists it`(isFirebases: Bool) async throws {
        let user = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        func proof() async throws -> JSONObject { try await rig.proof(.oidc("corp"), .grace) }
        #expect(await rig.code(.link, try await proof(), by: user) == "ok")
        let token = try FirebaseToken.idToken(for: .ada, now: rig.now).signed(by: TokenDraft.key)
        let answer =
            isFirebases
            ? await rig.call(.session, ["id_token": .string(token)]) : try await rig.signIn(try await proof())
        let caller = try rig.caller(answer)
        #expect(caller.identities(at: "oidc.corp") != nil)
        #expect(await rig.code(.reauthenticate, try await proof(), by: caller) == "ok")
        #expect(await rig.code(.unlink, ["provider": "oidc.corp"], by: user) == "ok")
        let code = isFirebases ? "auth/user-mismatch" : "auth/session-cookie-revoked"
        #expect(await rig.code(.reauthenticate, try await proof(), by: caller) == code)
    }

    @Test func `I-11: a credential without a session cannot be reauthenticated`() async throws {
        let identity = try ProviderIdentity.made(
            provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        let caller = try #require(Principal(identity, hasher: try .required()))
        let body = try await rig.proof(.google, .ada)
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/operation-not-allowed")
        #expect(await rig.code(.signIn, body) == "ok", "the proof remains unused")
    }

    @Test func `a provider token with a sign-in time can be reauthenticated`() async throws {
        let subject = DevelopmentUser.ada.subject(at: "google.com")
        let identity = try ProviderIdentity.made(provider: "google.com", subject: subject, authTime: rig.now - 900)
        let caller = try #require(Principal(identity, hasher: try .required()))
        #expect(await rig.code(.reauthenticate, try await rig.proof(.google, .ada), by: caller) == "ok")
        let record = try await rig.store.session("google.com:\(subject)", "google.com:\(rig.now - 900)")
        #expect(record.signedInAt?.seconds == rig.now)
    }

    @Test func `H-03: a revoked session stays revoked`() async throws {
        let caller = try await rig.session()
        try await rig.store.revokeSession(caller.uid, try #require(caller.session))
        let body = try await rig.proof(.google, .ada)
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/session-cookie-revoked")
    }

    @Test func `a proof before the revocation of its identity is rejected`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: caller) == "ok")
        let other = try await rig.session(.oidc("corp"), .grace)
        let body = try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 1) }
        try await rig.store.revoke("google.com:\(DevelopmentUser.ada.subject(at: "google.com"))", at: rig.now)
        #expect(await rig.code(.reauthenticate, body, by: caller) == "auth/session-cookie-revoked")
        #expect(await rig.code(.reauthenticate, body, by: other) == "auth/id-token-revoked")
    }

    @Test func `an anonymous caller must sign in first`() async throws {
        let body = try await rig.proof(.google, .ada)
        for endpoint in [AccountEndpoint.reauthenticate, .link, .unlink] {
            #expect(await rig.code(endpoint, body) == "auth/missing-credential")
        }
    }
}
