import Authentication
import Authorization
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(1))) struct SignInTests {
    @Test("an account of Firebase's that is disabled there cannot be signed in to by a link", arguments: [true, false])
    func firebasesAccount(disabledBefore: Bool) async throws {
        let good = AccountStatus.Answer.account(validSince: nil, disabled: false)
        let firebase = ChangingAccounts([disabledBefore ? .account(validSince: nil, disabled: true) : good])
        let rig = try await AccountsRig(parts: { $0.firebase = firebase })
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        _ = try await rig.store.claim(link, for: "ada")
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(answer.code == (disabledBefore ? "auth/user-disabled" : "ok"))
        guard !disabledBefore else { return }
        #expect(answer.uid == "ada")
        #expect(try rig.caller(answer).standing.isFirebase, "Identity Toolkit's word counts for the session")
    }

    @Test func theFirstSignInMakesAnAccountAndTheSecondFindsIt() async throws {
        let rig = try await AccountsRig()
        let first = await rig.call(.signIn, try await rig.proof(.google, .ada))
        let uid = try #require(first.uid)
        #expect(first.isNew == true)
        #expect(first.json?["expires_in"]?.integer == 432_000)
        #expect(first.json?.members.map(\.name) == ["uid", "is_new_user", "expires_in"])
        #expect(uid.utf8.count == 32 && uid.allSatisfy { "0123456789abcdef".contains($0) }, "H-09")
        rig.time.advance(seconds: 1)
        let second = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(second.uid == uid)
        #expect(second.isNew == false)
    }

    @Test func aDerivedIdentityIsKeptWithItsAccount() async throws {
        let rig = try await AccountsRig()
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let uid = try #require(answer.uid)
        let account = try #require(try await rig.store.account(uid))
        #expect(account.email == "ada@example.com")
        #expect(account.emailVerified)
        #expect(account.name == "Ada Lovelace")
        #expect(account.created?.seconds == rig.now)
        #expect(account.links == ["google.com": DevelopmentUser.ada.subject(at: "google.com")])
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == account.user)
    }

    @Test(
        "every kind of provider can sign in",
        arguments: ["apple.com", "google.com", "microsoft.com", "facebook.com", "oidc.corp"])
    func providers(id: String) async throws {
        let rig = try await AccountsRig()
        let provider = try #require(IdentityProvider(id: id))
        let answer = try await rig.signIn(try await rig.proof(provider, .hedy))
        #expect(answer.claims?["firebase"]?["sign_in_provider"]?.equals(id) == true)
    }

    @Test func opaqueTokensOfGitHubSignIn() async throws {
        let rig = try await AccountsRig()
        let answer = try await rig.signIn(rig.gitHub(issuedAt: rig.now - 1000))
        #expect(answer.claims?["auth_time"] == nil, "when the token was made proves nothing")
        #expect(
            answer.claims?["firebase"]?["identities"]?["github.com"]?.elements.first { _ in true }?.string == "583231")
    }

    @Test("I-02: what introspection tells of the time is tied to nothing that the user just did")
    func introspection() async throws {
        let rig = try await AccountsRig()
        let token = DevelopmentIdentity.OpaqueToken.introspected(for: .robot, now: rig.now)
            .setting("auth_time", to: .integer(rig.now - 50))
        rig.opaque.add(token)
        let answer = try await rig.signIn(["provider": "oauth.legacy", "access_token": .string(token.text)])
        #expect(answer.claims?["auth_time"] == nil)
    }

    @Test("the time of the proof: auth_time, else iat with a nonce of ours, else none")
    func proofTime() async throws {
        let rig = try await AccountsRig()
        let told = try await rig.signIn(
            try await rig.proof(.apple, .alan) { $0.signedIn(at: rig.now - 77) })
        #expect(told.claims?["auth_time"]?.integer == rig.now - 77)
        let issued = try await rig.signIn(try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 3) })
        #expect(issued.claims?["auth_time"]?.integer == rig.now - 3)
        let token = try rig.idToken(.google, .dennis)
        let unknown = try await rig.signIn(["provider": "google.com", "id_token": .string(token)])
        #expect(unknown.claims?["auth_time"] == nil)
    }

    @Test(
        "expires_in is an integer from 300 to 1209600",
        arguments: [
            ("299", false), ("300", true), ("1209600", true), ("1209601", false), ("0", false), ("-1", false),
            ("300.0", false), ("\"300\"", false), ("null", false), ("1e3", false), ("99999999999999999999", false),
        ])
    func duration(text: String, isRight: Bool) async throws {
        let rig = try await AccountsRig()
        let body = try await rig.proof(.google, .ada, ["expires_in": .raw(text)])
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == (isRight ? "ok" : "auth/invalid-session-cookie-duration"))
        guard isRight else { return }
        #expect(answer.cookie == .set(token: answer.token ?? "", maximumAge: Int64(text) ?? 0))
        #expect(answer.claims?["exp"]?.integer == rig.now + (Int64(text) ?? 0))
    }

    @Test("H-03: who is disabled, or was revoked after the proof, gets no session", arguments: [true, false])
    func notUsable(byLink: Bool) async throws {
        let rig = try await AccountsRig()
        let uid = try #require(try await rig.signIn(try await rig.proof(.google, .ada)).uid)
        let name = byLink ? "google.com:\(DevelopmentUser.ada.subject(at: "google.com"))" : uid
        let body = try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 1) }
        try await rig.store.revoke(name, at: rig.now)
        #expect(await rig.call(.signIn, body).code == "auth/id-token-revoked")
        let untimed = try rig.idToken(.google, .ada) { $0.issued(at: rig.now - 1).setting("jti", to: "other") }
        #expect(
            await rig.call(.signIn, ["provider": "google.com", "id_token": .string(untimed)]).code
                == "auth/id-token-revoked", "made before")
        let fresh = try await rig.proof(.google, .ada) { $0.setting("jti", to: "fresh") }
        #expect(await rig.call(.signIn, fresh).code == "ok")
        try await rig.store.setDisabled(name, true)
        let late = try await rig.proof(.google, .ada) { $0.setting("jti", to: "late") }
        #expect(await rig.call(.signIn, late).code == "auth/user-disabled", "H-02")
    }

    @Test func anIdentityThatIsDisabledMakesNoAccount() async throws {
        let rig = try await AccountsRig()
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        try await rig.store.setDisabled(link.name, true)
        #expect(await rig.call(.signIn, try await rig.proof(.google, .ada)).code == "auth/user-disabled")
        #expect(try await rig.store.owner(of: link) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct DisplayNameTests {
    private static let full = #"{"name":{"firstName":" Alan ","lastName":"Turing"}}"#

    @Test("Apple's name is kept at the first sign-in, as an object or as text", arguments: [false, true])
    func kept(asText: Bool) async throws {
        let rig = try await AccountsRig()
        let user: JSON = asText ? .string(Self.full) : .raw(Self.full)
        let first = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": user]))
        #expect(first.claims?["name"]?.string == "Alan Turing")
        rig.time.advance(seconds: 1)
        let later = try await rig.signIn(try await rig.proof(.apple, .alan))
        #expect(later.claims?["name"]?.string == "Alan Turing", "told once, kept for good")
    }

    @Test("a name that is kept is not overwritten")
    func notOverwritten() async throws {
        let rig = try await AccountsRig()
        _ = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": .raw(Self.full)]))
        rig.time.advance(seconds: 1)
        let other = try await rig.signIn(
            try await rig.proof(.apple, .alan, ["user": ["name": ["firstName": "Eve"]]]))
        #expect(other.claims?["name"]?.string == "Alan Turing")
        rig.time.advance(seconds: 1)
        let none = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": ["name": ["firstName": " "]]]))
        #expect(none.claims?["name"]?.string == "Alan Turing")
    }

    @Test func aNameThatComesLaterIsKeptWhereThereIsNone() async throws {
        let rig = try await AccountsRig()
        _ = try await rig.signIn(try await rig.proof(.apple, .alan))
        rig.time.advance(seconds: 1)
        let later = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": .raw(Self.full)]))
        #expect(later.claims?["name"]?.string == "Alan Turing")
    }

    @Test("the provider's own name stays in the token")
    func providersOwn() async throws {
        let rig = try await AccountsRig()
        let answer = try await rig.signIn(try await rig.proof(.google, .ada, ["user": .raw(Self.full)]))
        #expect(answer.claims?["name"]?.string == "Ada Lovelace")
    }

    @Test(
        "what is no such object is refused before the proof is used",
        arguments: [
            "7", "\"\"", "\"{\"", "[]", #"{"name":"Alan"}"#, #"{"name":{"firstName":7}}"#,
            #"{"name":{"firstName":"a\u0000"}}"#,
            "{\"name\":{\"firstName\":\"\(String(repeating: "x", count: 257))\"}}", "null",
        ])
    func malformed(text: String) async throws {
        let rig = try await AccountsRig()
        var body = try await rig.proof(.apple, .alan, ["user": .raw(text)])
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "request/malformed")
        #expect(answer.denial?.detail?.contains("\"user\"") == true)
        body["user"] = nil
        #expect(await rig.call(.signIn, body).code == "ok")
    }

    @Test func namesOf256CharactersAreKept() async throws {
        let rig = try await AccountsRig()
        let name = String(repeating: "ß", count: 256)
        let answer = try await rig.signIn(
            try await rig.proof(.apple, .alan, ["user": ["name": ["lastName": .string(name)]]]))
        #expect(answer.claims?["name"]?.string == name)
    }
}
