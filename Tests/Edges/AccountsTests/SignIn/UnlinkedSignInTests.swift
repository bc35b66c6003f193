import DevelopmentIdentity
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Sign-ins by an identity that was unlinked, and by an address that came from one.
@Suite(.timeLimit(.minutes(1))) struct UnlinkedSignInTests {
    private let nameless = DevelopmentUser.grace.withEmail(nil)

    private func signIn(
        _ rig: AccountsRig, _ provider: IdentityProvider, _ user: DevelopmentUser
    ) async throws -> CallAnswer {
        rig.time.advance(seconds: 1)
        return await rig.call(.signIn, try await rig.proof(provider, user))
    }

    private func link(
        _ rig: AccountsRig, _ provider: IdentityProvider, _ user: DevelopmentUser, by caller: Principal
    ) async throws {
        let linked = await rig.call(.link, try await rig.proof(provider, user, ["consent": true]), by: caller)
        try #require(linked.code == "ok", "\(rig.log.text)")
    }

    private func unlink(_ rig: AccountsRig, _ provider: String, by caller: Principal) async throws {
        let answer = await rig.call(.unlink, ["provider": .string(provider)], by: caller)
        try #require(answer.code == "ok", "\(rig.log.text)")
    }

    @Test func `the identity that gave the account its address is put out with it`() async throws {
        let rig = try await AccountsRig()
        let owner = try await rig.session(.google, .ada)
        try await link(rig, .apple, .alan, by: owner)
        let apple = try await rig.session(.apple, .alan)
        try #require(apple.uid == owner.uid)
        try await unlink(rig, "google.com", by: apple)
        let answer = try await signIn(rig, .google, .ada)
        #expect(answer.code == "ok" && answer.isNew == true && answer.uid != owner.uid)
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["apple.com"])
        #expect(try await signIn(rig, .apple, .alan).uid == owner.uid)
    }

    @Test func `no identity comes back by an address that came from an unlinked one`() async throws {
        let rig = try await AccountsRig()
        let owner = try await rig.session(.oidc("corp"), nameless)
        try await link(rig, .google, .ada, by: owner)
        try #require(try await rig.store.account(owner.uid)?.email == "ada@example.com")
        try await unlink(rig, "google.com", by: owner)
        let other = try await signIn(rig, .apple, .dennis.withEmail("ada@example.com"))
        #expect(other.isNew == true && other.uid != owner.uid)
        #expect(try await signIn(rig, .google, .ada).uid != owner.uid)
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["oidc.corp"])
    }

    @Test func `an unlinked identity is told to let the account's user link it`() async throws {
        let rig = try await AccountsRig()
        let first = try await rig.session(.google, .ada)
        try await link(rig, .oidc("corp"), .ada, by: first)
        let owner = try await rig.session(.oidc("corp"), .ada)
        try await unlink(rig, "google.com", by: owner)
        // The provider that is left vouches for the same address.
        #expect(try await signIn(rig, .oidc("corp"), .ada).uid == owner.uid)
        let account = try await rig.store.account(owner.uid)
        #expect(account?.email == "ada@example.com" && account?.emailVerified == true)
        #expect(account?.emailFrom == "oidc.corp")
        let refused = try await signIn(rig, .google, .ada)
        #expect(refused.code == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["oidc.corp"])
        // Another provider that vouches for it is welcome.
        #expect(try await signIn(rig, .apple, .dennis.withEmail("ada@example.com")).uid == owner.uid)
        let linked = await rig.call(.link, ["pending_token": .string(try #require(refused.pending))], by: owner)
        #expect(linked.code == "ok")
        #expect(try await signIn(rig, .google, .ada).uid == owner.uid)
    }

    @Test func `an unlinked identity does not take an account over`() async throws {
        let rig = try await AccountsRig()
        let owner = try await rig.session(.facebook, .dennis.withEmail("ada@example.com", verified: false))
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        _ = try await rig.store.claim(link, for: owner.user)
        _ = try await rig.store.release(provider: "google.com", of: owner.user)
        #expect(try await rig.store.account(owner.uid)?.email == "ada@example.com")
        #expect(try await signIn(rig, .google, .ada).code == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["facebook.com"])
    }

    @Test func `a sign-in gives an account without an address the one that is vouched for`() async throws {
        let rig = try await AccountsRig()
        let owner = try await rig.session(.oidc("corp"), nameless)
        let relay = try #require(DevelopmentUser.alan.email)
        for user in [nameless.withEmail("g@example.com", verified: false), nameless.withEmail(relay)] {
            #expect(try await signIn(rig, .oidc("corp"), user).uid == owner.uid)
            #expect(try await rig.store.account(owner.uid)?.email == nil)
        }
        _ = try await rig.session(.google, .ada)
        #expect(try await signIn(rig, .oidc("corp"), nameless.withEmail("ada@example.com")).uid == owner.uid)
        #expect(try await rig.store.account(owner.uid)?.email == nil, "it is another account's")
        let answer = try await signIn(rig, .oidc("corp"), nameless.withEmail("g@example.com"))
        #expect(answer.claims?["email"]?.string == "g@example.com")
        #expect(try await rig.store.uid(ofEmail: "g@example.com") == owner.user)
        _ = try await signIn(rig, .oidc("corp"), nameless.withEmail("other@example.com"))
        #expect(try await rig.store.account(owner.uid)?.email == "g@example.com", "the address stays")
    }

    @Test func `a sign-in vouches for the address that the account has`() async throws {
        let rig = try await AccountsRig()
        let owner = try await rig.session(.oidc("corp"), nameless.withEmail("g@example.com", verified: false))
        #expect(try await rig.store.account(owner.uid)?.emailVerified == false)
        _ = try await signIn(rig, .oidc("corp"), nameless.withEmail("g@example.com"))
        #expect(try await rig.store.account(owner.uid)?.emailVerified == true)
        // Nobody who proves the same address elsewhere puts the user out.
        #expect(try await signIn(rig, .google, .ada.withEmail("g@example.com")).uid == owner.uid)
    }

    @Test func `a sign-in gives no address to a user of Firebase`() async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(firebase: .idToken(for: .grace, now: rig.now))
        try await link(rig, .google, .ada, by: caller)
        #expect(try await signIn(rig, .google, .ada).uid == caller.uid)
        #expect(try await rig.store.account(caller.uid)?.email == nil)
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
    }

    // MARK: - The call

    @Test func `a provider's own token, whose user proved a sign-in, may unlink its identity`() async throws {
        let rig = try await AccountsRig()
        let owner = try await rig.session()
        #expect(await rig.call(.link, try await rig.proof(.oidc("corp"), .grace), by: owner).code == "ok")
        let link = IdentityLink(provider: "oidc.corp", subject: DevelopmentUser.grace.subject(at: "oidc.corp"))
        let identity = try ProviderIdentity.made(provider: link.provider, subject: link.subject, authTime: rig.now)
        let hasher = try SHA256Hasher.required()
        let account = try #require(try await rig.store.account(owner.uid))
        let caller = try #require(Principal(identity, hasher: hasher)?.owned(by: account, hasher: hasher))
        let proof = try await rig.proof(.oidc("corp"), .grace) { $0.setting("jti", to: "2") }
        #expect(await rig.call(.reauthenticate, proof, by: caller).code == "ok")
        #expect(await rig.call(.unlink, ["provider": "oidc.corp"], by: caller).code == "ok")
        #expect(try await rig.store.owner(of: link) == nil)
    }
}
