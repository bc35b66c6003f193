import Authentication
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import StoreFixtures

/// Two identities with one address.
@Suite(.timeLimit(.minutes(1))) struct MergeTests {
    private let unverified = DevelopmentUser.dennis.withEmail("ada@example.com", verified: false)

    @Test func aVerifiedAddressLeadsToTheAccountThatHasItVerified() async throws {
        let rig = try await AccountsRig()
        let uid = try await rig.signIn(try await rig.proof(.google, .ada)).uid
        let merged = try await rig.signIn(try await rig.proof(.oidc("corp"), .ada.withEmail("ADA@Example.com")))
        #expect(merged.uid == uid)
        #expect(merged.isNew == false)
        #expect(try await rig.store.account(uid ?? "")?.links.keys.sorted() == ["google.com", "oidc.corp"])
        #expect(rig.log.text.contains("merge"))
        let identities = merged.claims?["firebase"]?["identities"]
        #expect(identities?["google.com"]?.elements.first { _ in true }?.string == "104242424242424242424")
        #expect(identities?["oidc.corp"]?.elements.first { _ in true }?.string == "ada")
    }

    @Test(
        "E-13: an address that the provider does not vouch for leads nowhere",
        arguments: ["false", "\"true\"", "1", nil])
    func unverified(text: String?) async throws {
        let rig = try await AccountsRig()
        let uid = try await rig.signIn(try await rig.proof(.google, .ada)).uid
        let body = try await rig.proof(.oidc("corp"), .ada) { token in
            text.map { token.setting("email_verified", to: .raw($0)) } ?? token.removing("email_verified")
        }
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "auth/account-exists-with-different-credential")
        #expect(answer.pending != nil)
        #expect(answer.json?.count == 1, "nothing of the other account")
        #expect(try await rig.store.account(uid ?? "")?.links.count == 1)
    }

    @Test("an address in a Microsoft token is never vouched for: each tenant writes its own")
    func microsoft() async throws {
        let rig = try await AccountsRig()
        let uid = try await rig.signIn(try await rig.proof(.google, .ada)).uid
        let body = try await rig.proof(.microsoft, .barbara.withEmail("ada@example.com")) {
            $0.setting("email_verified", to: true)
        }
        #expect(await rig.call(.signIn, body).code == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account(uid ?? "")?.links.count == 1)
    }

    @Test func whoseAccountItIsIsToldWhereThatIsNoSecret() async throws {
        let rig = try await AccountsRig { $0.hideAccountExistence = false }
        _ = try await rig.signIn(try await rig.proof(.google, .ada))
        let answer = await rig.call(.signIn, try await rig.proof(.facebook, unverified))
        #expect(answer.string("email") == "ada@example.com")
        #expect(answer.providers == ["google.com"])
        #expect(answer.pending != nil)
    }

    @Test("whoever took an address without proof is put out when its owner comes")
    func takeover() async throws {
        let rig = try await AccountsRig()
        let squatter = try await rig.signIn(try await rig.proof(.facebook, unverified))
        let uid = try #require(squatter.uid)
        let thief = try rig.caller(squatter)
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(answer.code == "auth/requires-recent-login")
        #expect(answer.denial?.maxAge == 300)
        #expect(try await rig.store.account(uid)?.links.keys.sorted() == ["google.com"])
        #expect(try await rig.store.account(uid)?.emailVerified == true)
        // The squatter's session of this very second is over, too.
        #expect(await rig.call(.unlink, ["provider": "google.com"], by: thief).code == "auth/session-cookie-revoked")
        let back = await rig.call(.signIn, try await rig.proof(.facebook, unverified) { $0.setting("jti", to: "2") })
        #expect(back.code == "auth/account-exists-with-different-credential")
        rig.time.advance(seconds: 1)
        let owner = try await rig.signIn(try await rig.proof(.google, .ada))
        #expect(owner.uid == uid)
        #expect(owner.isNew == false)
        #expect(rig.log.text.contains("takeover"))
    }

    @Test("who took the address cannot keep its owner away by signing out everywhere, again and again")
    func revokedSquatter() async throws {
        let rig = try await AccountsRig()
        let squatter = try await rig.signIn(try await rig.proof(.facebook, unverified))
        let uid = try #require(squatter.uid)
        let body = try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 2) }
        #expect(await rig.call(.signOut, ["everywhere": true], by: try rig.caller(squatter)).code == "ok")
        #expect(await rig.call(.signIn, body).code == "auth/requires-recent-login")
        #expect(try await rig.store.account(uid)?.links.keys.sorted() == ["google.com"])
    }

    @Test("nor is a session left that began with a token of a provider whose clock is ahead")
    func takeoverOfTheFuture() async throws {
        let rig = try await AccountsRig()
        let squatter = try await rig.signIn(
            try await rig.proof(.facebook, unverified) { $0.issued(at: rig.now + 5) })
        #expect(squatter.claims?["auth_time"]?.integer == rig.now)
        let thief = try rig.caller(squatter)
        #expect(await rig.call(.signIn, try await rig.proof(.google, .ada)).code == "auth/requires-recent-login")
        #expect(await rig.call(.signOut, ["everywhere": true], by: thief).code == "auth/session-cookie-revoked")
    }

    @Test("a Firebase user cannot lie in wait at an address that nobody vouched for")
    func waiting() async throws {
        let rig = try await AccountsRig()
        let squatter = try rig.caller(firebase: .idToken(for: .margaret, now: rig.now))
        #expect(await rig.call(.link, try await rig.proof(.facebook, unverified), by: squatter).code == "ok")
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
        let owner = try await rig.signIn(try await rig.proof(.google, .ada))
        #expect(owner.isNew == true)
        #expect(owner.uid != squatter.uid)
    }

    @Test("an account that was not made here is never taken over: nobody could put its user out")
    func madeElsewhere() async throws {
        let rig = try await AccountsRig()
        let link = IdentityLink(provider: "facebook.com", subject: "1")
        _ = try await rig.store.claim(link, for: "margaret")
        _ = try await rig.store.setEmail(
            "ada@example.com", verified: false, from: link, of: "margaret", claimsEmail: true)
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(answer.code == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account("margaret")?.links == ["facebook.com": "1"])
    }

    @Test("an address that the provider gave to somebody else does not open the old account")
    func recycled() async throws {
        let rig = try await AccountsRig()
        _ = try await rig.signIn(try await rig.proof(.google, .ada))
        let body = try await rig.proof(.google, .ada) { $0.setting("sub", to: "another") }
        #expect(await rig.call(.signIn, body).code == "auth/account-exists-with-different-credential")
    }

    @Test("private relay addresses are nobody's")
    func relay() async throws {
        let rig = try await AccountsRig()
        let apple = try await rig.signIn(try await rig.proof(.apple, .alan))
        let address = try #require(DevelopmentUser.alan.email)
        #expect(try await rig.store.uid(ofEmail: address) == nil)
        let other = try await rig.signIn(try await rig.proof(.google, .ada.withEmail(address)))
        #expect(other.isNew == true)
        #expect(other.uid != apple.uid)
    }

    @Test("where addresses may have several accounts, they lead nowhere")
    func severalAccounts() async throws {
        let rig = try await AccountsRig { $0.oneAccountPerEmail = false }
        let one = try await rig.signIn(try await rig.proof(.google, .ada))
        let two = try await rig.signIn(try await rig.proof(.oidc("corp"), .ada))
        #expect(two.isNew == true)
        #expect(one.uid != two.uid)
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
    }

    @Test("H-03: a disabled account is not merged into")
    func disabled() async throws {
        let rig = try await AccountsRig()
        let uid = try #require(try await rig.signIn(try await rig.proof(.google, .ada)).uid)
        try await rig.store.setDisabled(uid, true)
        #expect(await rig.call(.signIn, try await rig.proof(.oidc("corp"), .ada)).code == "auth/user-disabled")
        #expect(try await rig.store.account(uid)?.links.count == 1)
    }

    @Test(
        "E-14: what is no address is none",
        arguments: [
            "a@evil.com@example.com", "\"a b\"@example.com", "ada@example.com.", "@example.com", "ada@", "ada",
            "ada@ex\u{0430}mple.com", "ada @example.com", "",
        ])
    func addresses(text: String) async throws {
        let rig = try await AccountsRig()
        let answer = try await rig.signIn(try await rig.proof(.google, .ada.withEmail(text)))
        let uid = try #require(answer.uid)
        #expect(try await rig.store.account(uid)?.email == nil)
    }

    @Test("an address is compared without regard to the case of ASCII letters")
    func normalised() {
        let document = try? JSONDocument(Array(#"{"email":"A.B@EXAMPLE.com","email_verified":true}"#.utf8))
        let email = document.flatMap { ProvenEmail($0.root) }
        #expect(email?.address == "a.b@example.com")
        #expect(email?.isVerified == true)
        #expect(email?.isPrivate == false)
    }
}
