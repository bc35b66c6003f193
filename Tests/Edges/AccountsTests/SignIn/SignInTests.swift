import Authorization
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(5))) struct SignInTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test(arguments: [true, false])
    func `a disabled Firebase account cannot be opened by a link`(disabledBefore: Bool) async throws {
        let good = AccountStatus.State.account(validSince: nil, disabled: false)
        let firebase = ChangingAccounts([disabledBefore ? .account(validSince: nil, disabled: true) : good])
        let rig = try await AccountsRig(parts: { $0.firebase = firebase })
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        _ = try await rig.store.claim(link, for: "ada")
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(answer.code == (disabledBefore ? "auth/user-disabled" : "ok"))
        guard !disabledBefore else { return }
        #expect(answer.uid == "ada")
        #expect(try rig.caller(answer).facts.isFirebase, "Identity Toolkit reports the status of the session")
    }

    @Test func `the first sign-in creates an account and the second finds it`() async throws {
        let first = await rig.call(.signIn, try await rig.proof(.google, .ada))
        let uid = try #require(first.uid)
        #expect(first.isNew == true && first.json?["expires_in"]?.integer == 432_000)
        #expect(first.json?.members.map(\.name) == ["uid", "is_new_user", "expires_in"])
        #expect(uid.utf8.count == 32 && uid.allSatisfy { "0123456789abcdef".contains($0) }, "H-09")
        rig.time.advance(seconds: 1)
        let second = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(second.uid == uid && second.isNew == false)
    }

    @Test func `a derived identity is kept with its account`() async throws {
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let uid = try #require(answer.uid)
        let account = try #require(try await rig.store.account(uid))
        #expect(account.email == "ada@example.com" && account.emailVerified)
        #expect(account.name == "Ada Lovelace" && account.created?.seconds == rig.now)
        #expect(account.links == ["google.com": DevelopmentUser.ada.subject(at: "google.com")])
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == account.user)
    }

    @Test(arguments: ["apple.com", "google.com", "microsoft.com", "facebook.com", "oidc.corp"])
    func `every kind of provider can sign in`(id: String) async throws {
        let provider = try #require(IdentityProvider(id: id))
        let answer = try await rig.signIn(try await rig.proof(provider, .hedy))
        #expect(answer.claims?["firebase"]?["sign_in_provider"]?.equals(id) == true)
    }

    @Test func `an opaque token of GitHub signs in`() async throws {
        let answer = try await rig.signIn(rig.gitHub(issuedAt: rig.now - 1000))
        #expect(answer.claims?["auth_time"] == nil, "the creation time of the token proves nothing")
        #expect(
            answer.claims?["firebase"]?["identities"]?["github.com"]?.elements.first { _ in true }?.string == "583231")
    }

    @Test func `I-02: a time from introspection is not a sign-in time`() async throws {
        let token = DevelopmentIdentity.OpaqueToken.introspected(for: .robot, now: rig.now)
            .setting("auth_time", to: .integer(rig.now - 50))
        rig.opaque.add(token)
        let answer = try await rig.signIn(["provider": "oauth.legacy", "access_token": .string(token.text)])
        #expect(answer.claims?["auth_time"] == nil)
    }

    @Test func `the proof time is auth_time, or iat with a nonce`() async throws {
        let response = try await rig.signIn(try await rig.proof(.apple, .alan) { $0.signedIn(at: rig.now - 77) })
        #expect(response.claims?["auth_time"]?.integer == rig.now - 77)
        let issued = try await rig.signIn(try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 3) })
        #expect(issued.claims?["auth_time"]?.integer == rig.now - 3)
        let token = try rig.idToken(.google, .dennis)
        let unknown = try await rig.signIn(["provider": "google.com", "id_token": .string(token)])
        #expect(unknown.claims?["auth_time"] == nil)
    }

    @Test(arguments: [
        ("299", false), ("300", true), ("1209600", true), ("1209601", false), ("0", false), ("-1", false),
        ("300.0", false), ("\"300\"", false), ("null", false), ("1e3", false), ("99999999999999999999", false),
    ])
    func `expires_in is an integer from 300 to 1209600`(text: String, isRight: Bool) async throws {
        let body = try await rig.proof(.google, .ada, ["expires_in": .raw(text)])
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == (isRight ? "ok" : "auth/invalid-session-cookie-duration"))
        guard isRight else { return }
        #expect(answer.cookie == .set(token: answer.token ?? "", maximumAge: Int64(text) ?? 0))
        #expect(answer.claims?["exp"]?.integer == rig.now + (Int64(text) ?? 0))
    }

    @Test(arguments: [true, false])
    func `H-03: a disabled or revoked user gets no session`(byLink: Bool) async throws {
        let uid = try #require(try await rig.signIn(try await rig.proof(.google, .ada)).uid)
        let name = byLink ? "google.com:\(DevelopmentUser.ada.subject(at: "google.com"))" : uid
        let body = try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 1) }
        try await rig.store.revoke(name, at: rig.now)
        #expect(await rig.code(.signIn, body) == "auth/id-token-revoked")
        let untimed = try rig.idToken(.google, .ada) { $0.issued(at: rig.now - 1).setting("jti", to: "other") }
        #expect(
            await rig.code(.signIn, ["provider": "google.com", "id_token": .string(untimed)])
                == "auth/id-token-revoked", "made before")
        let fresh = try await rig.proof(.google, .ada) { $0.setting("jti", to: "fresh") }
        #expect(await rig.code(.signIn, fresh) == "ok")
        try await rig.store.setDisabled(name, true)
        let late = try await rig.proof(.google, .ada) { $0.setting("jti", to: "late") }
        #expect(await rig.code(.signIn, late) == "auth/user-disabled", "H-02")
    }

    @Test func `a disabled identity creates no account`() async throws {
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        try await rig.store.setDisabled(link.name, true)
        #expect(await rig.code(.signIn, try await rig.proof(.google, .ada)) == "auth/user-disabled")
        #expect(try await rig.store.owner(of: link) == nil)
    }
}

@Suite(.timeLimit(.minutes(5))) struct DisplayNameTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private static let full = #"{"name":{"firstName":" Alan ","lastName":"Turing"}}"#

    @Test(arguments: [false, true])
    func `the first sign-in with Apple stores the name`(asText: Bool) async throws {
        let user: JSON = asText ? .string(Self.full) : .raw(Self.full)
        let first = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": user]))
        #expect(first.claims?["name"]?.string == "Alan Turing")
        rig.time.advance(seconds: 1)
        let later = try await rig.signIn(try await rig.proof(.apple, .alan))
        #expect(later.claims?["name"]?.string == "Alan Turing", "Apple sends the name once, and the gateway stores it")
    }

    @Test func `a stored name is not overwritten`() async throws {
        _ = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": .raw(Self.full)]))
        rig.time.advance(seconds: 1)
        let other = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": ["name": ["firstName": "Eve"]]]))
        #expect(other.claims?["name"]?.string == "Alan Turing")
        rig.time.advance(seconds: 1)
        let none = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": ["name": ["firstName": " "]]]))
        #expect(none.claims?["name"]?.string == "Alan Turing")
    }

    @Test func `a later name is stored if the account has no name`() async throws {
        _ = try await rig.signIn(try await rig.proof(.apple, .alan))
        rig.time.advance(seconds: 1)
        let later = try await rig.signIn(try await rig.proof(.apple, .alan, ["user": .raw(Self.full)]))
        #expect(later.claims?["name"]?.string == "Alan Turing")
    }

    @Test func `the provider's own name stays in the token`() async throws {
        let answer = try await rig.signIn(try await rig.proof(.google, .ada, ["user": .raw(Self.full)]))
        #expect(answer.claims?["name"]?.string == "Ada Lovelace")
    }

    @Test(arguments: [
        "7", "\"\"", "\"{\"", "[]", #"{"name":"Alan"}"#, #"{"name":{"firstName":7}}"#,
        #"{"name":{"firstName":"a\u0000"}}"#,
        "{\"name\":{\"firstName\":\"\(String(repeating: "x", count: 257))\"}}", "null",
    ])
    func `an invalid user object is rejected before the proof is used`(text: String) async throws {
        var body = try await rig.proof(.apple, .alan, ["user": .raw(text)])
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "request/malformed")
        #expect(answer.denial?.detail?.contains("\"user\"") == true)
        body["user"] = nil
        #expect(await rig.code(.signIn, body) == "ok")
    }

    @Test func `names of 256 characters are kept`() async throws {
        let name = String(repeating: "ß", count: 256)
        let answer = try await rig.signIn(
            try await rig.proof(.apple, .alan, ["user": ["name": ["lastName": .string(name)]]]))
        #expect(answer.claims?["name"]?.string == name)
    }
}

/// Sign-ins by an unlinked identity, and by an address that came from one.
@Suite(.timeLimit(.minutes(5))) struct UnlinkedSignInTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private let nameless = DevelopmentUser.grace.withEmail(nil)

    private func signIn(_ provider: IdentityProvider, _ user: DevelopmentUser) async throws -> CallAnswer {
        rig.time.advance(seconds: 1)
        return await rig.call(.signIn, try await rig.proof(provider, user))
    }

    private func link(_ provider: IdentityProvider, _ user: DevelopmentUser, by caller: Principal) async throws {
        let linked = await rig.call(.link, try await rig.proof(provider, user, ["consent": true]), by: caller)
        try #require(linked.code == "ok", "\(rig.log.text)")
    }

    private func unlink(_ provider: String, by caller: Principal) async throws {
        let answer = await rig.call(.unlink, ["provider": .string(provider)], by: caller)
        try #require(answer.code == "ok", "\(rig.log.text)")
    }

    @Test func `an unlinked identity that gave the account its address does not sign in to it`() async throws {
        let owner = try await rig.session(.google, .ada)
        try await link(.apple, .alan, by: owner)
        let apple = try await rig.session(.apple, .alan)
        try #require(apple.uid == owner.uid)
        try await unlink("google.com", by: apple)
        let answer = try await signIn(.google, .ada)
        #expect(answer.code == "ok" && answer.isNew == true && answer.uid != owner.uid)
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["apple.com"])
        #expect(try await signIn(.apple, .alan).uid == owner.uid)
    }

    @Test func `no identity is linked by an address that came from an unlinked one`() async throws {
        let owner = try await rig.session(.oidc("corp"), nameless)
        try await link(.google, .ada, by: owner)
        try #require(try await rig.store.account(owner.uid)?.email == "ada@example.com")
        try await unlink("google.com", by: owner)
        let other = try await signIn(.apple, .dennis.withEmail("ada@example.com"))
        #expect(other.isNew == true && other.uid != owner.uid)
        #expect(try await signIn(.google, .ada).uid != owner.uid)
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["oidc.corp"])
    }

    @Test func `an unlinked identity gets the advice to have the account's user link it`() async throws {
        let first = try await rig.session(.google, .ada)
        try await link(.oidc("corp"), .ada, by: first)
        let owner = try await rig.session(.oidc("corp"), .ada)
        try await unlink("google.com", by: owner)
        // The remaining provider verifies the same address.
        #expect(try await signIn(.oidc("corp"), .ada).uid == owner.uid)
        let account = try await rig.store.account(owner.uid)
        #expect(account?.email == "ada@example.com" && account?.emailVerified == true)
        #expect(account?.emailFrom == "oidc.corp")
        let refused = try await signIn(.google, .ada)
        #expect(refused.code == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["oidc.corp"])
        // A sign-in with another provider that verifies the address is accepted.
        #expect(try await signIn(.apple, .dennis.withEmail("ada@example.com")).uid == owner.uid)
        let linked = await rig.call(.link, ["pending_token": .string(try #require(refused.pending))], by: owner)
        #expect(linked.code == "ok")
        #expect(try await signIn(.google, .ada).uid == owner.uid)
    }

    @Test func `an unlinked identity does not take over an account`() async throws {
        let owner = try await rig.session(.facebook, .dennis.withEmail("ada@example.com", verified: false))
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        _ = try await rig.store.claim(link, for: owner.user)
        _ = try await rig.store.release(provider: "google.com", of: owner.user)
        #expect(try await rig.store.account(owner.uid)?.email == "ada@example.com")
        #expect(try await signIn(.google, .ada).code == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["facebook.com"])
    }

    @Test func `a sign-in adds the verified address to an account without one`() async throws {
        let owner = try await rig.session(.oidc("corp"), nameless)
        let relay = try #require(DevelopmentUser.alan.email)
        for user in [nameless.withEmail("g@example.com", verified: false), nameless.withEmail(relay)] {
            #expect(try await signIn(.oidc("corp"), user).uid == owner.uid)
            #expect(try await rig.store.account(owner.uid)?.email == nil)
        }
        _ = try await rig.session(.google, .ada)
        #expect(try await signIn(.oidc("corp"), nameless.withEmail("ada@example.com")).uid == owner.uid)
        #expect(try await rig.store.account(owner.uid)?.email == nil, "the address belongs to another account")
        let answer = try await signIn(.oidc("corp"), nameless.withEmail("g@example.com"))
        #expect(answer.claims?["email"]?.string == "g@example.com")
        #expect(try await rig.store.uid(ofEmail: "g@example.com") == owner.user)
        _ = try await signIn(.oidc("corp"), nameless.withEmail("other@example.com"))
        #expect(try await rig.store.account(owner.uid)?.email == "g@example.com", "the address stays")
    }

    @Test func `a sign-in can verify the address of the account`() async throws {
        let owner = try await rig.session(.oidc("corp"), nameless.withEmail("g@example.com", verified: false))
        #expect(try await rig.store.account(owner.uid)?.emailVerified == false)
        _ = try await signIn(.oidc("corp"), nameless.withEmail("g@example.com"))
        #expect(try await rig.store.account(owner.uid)?.emailVerified == true)
        // A proof of the same address at another provider does not remove the identities of the user.
        #expect(try await signIn(.google, .ada.withEmail("g@example.com")).uid == owner.uid)
    }

    @Test func `a sign-in adds no address to a user of Firebase`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .verifiedGrace, now: rig.now))
        try await link(.google, .ada, by: caller)
        #expect(try await signIn(.google, .ada).uid == caller.uid)
        #expect(try await rig.store.account(caller.uid)?.email == nil)
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
    }

    @Test func `a provider's token with a proven sign-in may unlink its identity`() async throws {
        let owner = try await rig.session()
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: owner) == "ok")
        let link = IdentityLink(provider: "oidc.corp", subject: DevelopmentUser.grace.subject(at: "oidc.corp"))
        let identity = try ProviderIdentity.made(provider: link.provider, subject: link.subject, authTime: rig.now)
        let hasher = try SHA256Hasher.required()
        let account = try #require(try await rig.store.account(owner.uid))
        let caller = try #require(Principal(identity, hasher: hasher)?.owned(by: account, hasher: hasher))
        let proof = try await rig.proof(.oidc("corp"), .grace) { $0.setting("jti", to: "2") }
        #expect(await rig.code(.reauthenticate, proof, by: caller) == "ok")
        #expect(await rig.code(.unlink, ["provider": "oidc.corp"], by: caller) == "ok")
        #expect(try await rig.store.owner(of: link) == nil)
    }
}
