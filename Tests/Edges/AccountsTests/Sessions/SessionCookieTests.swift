import Authentication
import Authorization
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(1))) struct SessionCookieTests {
    @Test func aCookieIsWhatTheGatewayTakesForOne() async throws {
        let rig = try await AccountsRig()
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let caller = try rig.caller(answer)
        #expect(caller.uid == answer.uid)
        #expect(caller.kind == .sessionCookie)
        #expect(caller.signInProvider == "google.com")
        #expect(caller.session == answer.claims?["sid"]?.string)
        #expect(caller.authTime?.seconds == rig.now)
        #expect(!caller.standing.isFirebase)
    }

    @Test("H-09: sessions have 128 random bits for a name")
    func names() async throws {
        let rig = try await AccountsRig()
        var names: Set<String> = []
        for number in 0..<20 {
            let body = try await rig.proof(.google, .ada) { $0.setting("jti", to: .integer(Int64(number))) }
            let name = try #require(try await rig.signIn(body).claims?["sid"]?.string)
            #expect(name.utf8.count == 32)
            names.insert(name)
        }
        #expect(names.count == 20)
    }

    @Test func claimsAreTheProvidersButForWhatIsAboutItsToken() async throws {
        let rig = try await AccountsRig()
        let body = try await rig.proof(.google, .ada) {
            $0.setting("at_hash", to: "h").setting("jti", to: "j").setting("sid", to: "theirs")
                .setting("nbf", to: .integer(rig.now))
        }
        let answer = try await rig.signIn(body)
        let claims = try #require(answer.claims)
        for name in ["azp", "nonce", "at_hash", "c_hash", "nbf", "jti"] { #expect(claims[name] == nil, "\(name)") }
        for name in ["iss", "aud"] { #expect(claims[name]?.string == AccountsRig.issuer) }
        for name in ["sub", "user_id"] { #expect(claims[name]?.string == answer.uid) }
        #expect(claims["sid"]?.string != "theirs")
        #expect(claims["email"]?.string == "ada@example.com")
        #expect(claims["picture"]?.string == DevelopmentUser.ada.picture)
        #expect(claims["iat"]?.integer == rig.now)
        #expect(claims["firebase"]?["identities"]?["email"]?.elements.first { _ in true }?.string == "ada@example.com")
    }

    @Test func theHeaderHasTheTypeAndTheKey() async throws {
        let rig = try await AccountsRig()
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let header = try UnverifiedJWS(try #require(answer.token)).header.root
        #expect(header.members.map(\.name) == ["alg", "kid", "typ", "src"])
        #expect(header["alg"]?.equals("ES256") == true)
        #expect(header["typ"]?.equals("gatehouse-session+jwt") == true)
    }

    @Test func aSecondFactorAtTheProviderIsOneOfTheSession() async throws {
        let rig = try await AccountsRig()
        let body = try await rig.proof(.google, .ada) { $0.setting("amr", to: ["pwd", "mfa"]) }
        #expect(try rig.caller(try await rig.signIn(body)).hasSecondFactor)
        let without = try await rig.proof(.google, .ada) { $0.setting("amr", to: ["pwd"]) }
        #expect(try !rig.caller(try await rig.signIn(without)).hasSecondFactor)
    }

    @Test("Microsoft's identities are told as Firebase tells them", arguments: [DevelopmentUser.barbara, .hedy])
    func microsoft(user: DevelopmentUser) async throws {
        let rig = try await AccountsRig()
        let first = try await rig.signIn(try await rig.proof(.microsoft, user))
        let uid = try #require(first.uid)
        let identities = first.claims?["firebase"]?["identities"]
        #expect(identities?["microsoft.com"]?.elements.map(\.string) == [user.subject(at: "microsoft.com")])
        // And by another credential of the account.
        let linked = try await rig.store.claim(IdentityLink(provider: "github.com", subject: "583231"), for: uid)
        guard case .linked = linked else { return #expect(Bool(false)) }
        let second = try await rig.signIn(rig.gitHub())
        let known = second.claims?["firebase"]?["identities"]
        #expect(known?["microsoft.com"]?.elements.map(\.string) == [user.subject(at: "microsoft.com")])
    }

    @Test("a cookie that browsers would drop is refused, with what to mend")
    func tooLarge() async throws {
        let rig = try await AccountsRig()
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
@Suite(.timeLimit(.minutes(1))) struct FirebaseSessionTests {
    private func body(_ token: FirebaseToken, _ more: JSONObject = [:]) throws -> JSONObject {
        var body: JSONObject = ["id_token": .string(try token.signed(by: TokenDraft.key))]
        body.merge(more)
        return body
    }

    @Test func aFreshIDTokenBeginsASession() async throws {
        let rig = try await AccountsRig()
        let token = FirebaseToken.idToken(for: .ada, now: rig.now - 300)
        let answer = await rig.call(.session, try body(token, ["expires_in": 300]))
        #expect(answer.code == "ok")
        #expect(answer.uid == "ada")
        let caller = try rig.caller(answer)
        #expect(caller.uid == "ada")
        #expect(caller.authTime?.seconds == rig.now - 300)
        #expect(caller.standing.isFirebase, "Identity Toolkit's word counts for it")
        #expect(caller.session != String(rig.now - 300))
        #expect(answer.claims?["role"]?.string == "admin", "custom claims stay")
        #expect(answer.claims?["exp"]?.integer == rig.now + 300)
    }

    @Test("I-02: it is the sign-in that must be recent, not the token")
    func old() async throws {
        let rig = try await AccountsRig()
        let token = FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now - 301)
        let answer = await rig.call(.session, try body(token))
        #expect(answer.code == "auth/requires-recent-login")
        #expect(answer.denial?.maxAge == 300)
        try await rig.store.recordSignIn("ada", String(rig.now - 301), at: rig.now, expires: nil)
        #expect(
            await rig.call(.session, try body(token)).code == "auth/requires-recent-login", "a recorded one is no proof"
        )
    }

    @Test("H-01: a user or a session that was revoked gets none")
    func revoked() async throws {
        let rig = try await AccountsRig()
        let token = FirebaseToken.idToken(for: .ada, now: rig.now - 10)
        try await rig.store.revokeSession("ada", String(rig.now - 10))
        #expect(await rig.call(.session, try body(token)).code == "auth/id-token-revoked")
        try await rig.store.revoke("ada", at: rig.now)
        let other = token.signedIn(at: rig.now - 5)
        #expect(await rig.call(.session, try body(other)).code == "auth/id-token-revoked")
        #expect(await rig.call(.session, try body(token.signedIn(at: rig.now))).code == "ok")
        try await rig.store.setDisabled("ada", true)
        #expect(await rig.call(.session, try body(token.signedIn(at: rig.now))).code == "auth/user-disabled", "H-02")
    }

    @Test func durationsAreChecked() async throws {
        let rig = try await AccountsRig()
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        #expect(
            await rig.call(.session, try body(token, ["expires_in": 299])).code
                == "auth/invalid-session-cookie-duration")
    }

    @Test("only an ID token of Firebase counts")
    func others() async throws {
        let rig = try await AccountsRig()
        let cookie = try FirebaseToken.sessionCookie(for: .ada, now: rig.now).signed(by: TokenDraft.key)
        for token in [cookie, try rig.idToken(.google, .ada), SessionDraft.signed(), "x"] {
            #expect(await rig.call(.session, ["id_token": .string(token)]).code == "auth/invalid-credential")
        }
    }

    @Test func identitiesThatWereLinkedHereAreTold() async throws {
        let rig = try await AccountsRig()
        _ = try await rig.store.claim(IdentityLink(provider: "github.com", subject: "583231"), for: "ada")
        let answer = await rig.call(.session, try body(.idToken(for: .ada, now: rig.now)))
        let identities = answer.claims?["firebase"]?["identities"]
        #expect(identities?["github.com"]?.elements.map(\.string) == ["583231"])
        #expect(identities?["google.com"]?.elements.map(\.string) == ["104242424242424242424"])
    }

    @Test("Identity Toolkit is asked where revocations are read from there")
    func identityToolkit() async throws {
        let toolkit = ChangingAccounts([.account(validSince: nil, disabled: true)])
        let rig = try await AccountsRig(parts: { $0.firebase = toolkit })
        #expect(await rig.call(.session, try body(.idToken(for: .ada, now: rig.now))).code == "auth/user-disabled")
        #expect(await rig.call(.signIn, try await rig.proof(.google, .ada)).code == "ok", "no user of Firebase's")
        let down = ChangingAccounts([.unavailable])
        let other = try await AccountsRig(parts: { $0.firebase = down })
        #expect(
            await other.call(.session, try body(.idToken(for: .ada, now: rig.now))).code == "auth/store-unavailable")
    }
}
