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
@testable import GatewayFixtures
@testable import StoreFixtures

/// Two identities with one address.
@Suite(.timeLimit(.minutes(5))) struct MergeTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private let unverified = DevelopmentUser.dennis.withEmail("ada@example.com", verified: false)

    @Test func `a verified address signs in to the account that has verified it`() async throws {
        let uid = try await rig.signIn(try await rig.proof(.google, .ada)).uid
        let merged = try await rig.signIn(try await rig.proof(.oidc("corp"), .ada.withEmail("ADA@Example.com")))
        #expect(merged.uid == uid && merged.isNew == false)
        #expect(try await rig.store.account(uid ?? "")?.links.keys.sorted() == ["google.com", "oidc.corp"])
        #expect(rig.log.text.contains("merge"))
        let identities = merged.claims?["firebase"]?["identities"]
        #expect(identities?["google.com"]?.elements.first { _ in true }?.string == "104242424242424242424")
        #expect(identities?["oidc.corp"]?.elements.first { _ in true }?.string == "ada")
    }

    @Test(arguments: ["false", "\"true\"", "1", nil])
    func `E-13: an unverified address does not sign in to another account`(text: String?) async throws {
        let uid = try await rig.signIn(try await rig.proof(.google, .ada)).uid
        let body = try await rig.proof(.oidc("corp"), .ada) { token in
            text.map { token.setting("email_verified", to: .raw($0)) } ?? token.removing("email_verified")
        }
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "auth/account-exists-with-different-credential" && answer.pending != nil)
        #expect(answer.json?.count == 1, "nothing of the other account")
        #expect(try await rig.store.account(uid ?? "")?.links.count == 1)
    }

    @Test func `an address in a Microsoft token is never verified`() async throws {
        let uid = try await rig.signIn(try await rig.proof(.google, .ada)).uid
        let body = try await rig.proof(.microsoft, .barbara.withEmail("ada@example.com")) {
            $0.setting("email_verified", to: true)
        }
        #expect(await rig.code(.signIn, body) == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account(uid ?? "")?.links.count == 1)
    }

    @Test func `the owner of the address is reported if account existence is not hidden`() async throws {
        let rig = try await AccountsRig { $0.hideAccountExistence = false }
        _ = try await rig.signIn(try await rig.proof(.google, .ada))
        let answer = await rig.call(.signIn, try await rig.proof(.facebook, unverified))
        #expect(answer.string("email") == "ada@example.com")
        #expect(answer.providers == ["google.com"] && answer.pending != nil)
    }

    @Test func `the verified owner of an address takes over the account`() async throws {
        let squatter = try await rig.signIn(try await rig.proof(.facebook, unverified))
        let uid = try #require(squatter.uid)
        let thief = try rig.caller(squatter)
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(answer.code == "auth/requires-recent-login" && answer.denial?.maxAge == 300)
        #expect(try await rig.store.account(uid)?.links.keys.sorted() == ["google.com"])
        #expect(try await rig.store.account(uid)?.emailVerified == true)
        // The attacker's session of the same second ends, too.
        #expect(await rig.code(.unlink, ["provider": "google.com"], by: thief) == "auth/session-cookie-revoked")
        let back = await rig.call(.signIn, try await rig.proof(.facebook, unverified) { $0.setting("jti", to: "2") })
        #expect(back.code == "auth/account-exists-with-different-credential")
        rig.time.advance(seconds: 1)
        let owner = try await rig.signIn(try await rig.proof(.google, .ada))
        #expect(owner.uid == uid && owner.isNew == false)
        #expect(rig.log.text.contains("takeover"))
    }

    @Test func `an unverified user cannot lock out the owner by signing out everywhere`() async throws {
        let squatter = try await rig.signIn(try await rig.proof(.facebook, unverified))
        let uid = try #require(squatter.uid)
        let body = try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 2) }
        #expect(await rig.code(.signOut, ["everywhere": true], by: try rig.caller(squatter)) == "ok")
        #expect(await rig.code(.signIn, body) == "auth/requires-recent-login")
        #expect(try await rig.store.account(uid)?.links.keys.sorted() == ["google.com"])
    }

    @Test func `a takeover ends a session of a provider with a fast clock`() async throws {
        let squatter = try await rig.signIn(try await rig.proof(.facebook, unverified) { $0.issued(at: rig.now + 5) })
        #expect(squatter.claims?["auth_time"]?.integer == rig.now)
        let thief = try rig.caller(squatter)
        #expect(await rig.code(.signIn, try await rig.proof(.google, .ada)) == "auth/requires-recent-login")
        #expect(await rig.code(.signOut, ["everywhere": true], by: thief) == "auth/session-cookie-revoked")
    }

    @Test func `a Firebase user does not reserve an unverified address`() async throws {
        let squatter = try rig.caller(firebase: .idToken(for: .verifiedGrace, now: rig.now))
        #expect(await rig.code(.link, try await rig.proof(.facebook, unverified), by: squatter) == "ok")
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
        let owner = try await rig.signIn(try await rig.proof(.google, .ada))
        #expect(owner.isNew == true && owner.uid != squatter.uid)
    }

    @Test func `an account that was not created here is never taken over`() async throws {
        let link = IdentityLink(provider: "facebook.com", subject: "1")
        _ = try await rig.store.claim(link, for: "margaret")
        _ = try await rig.store.setEmail(
            "ada@example.com", verified: false, from: link, of: "margaret", claimsEmail: true)
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(answer.code == "auth/account-exists-with-different-credential")
        #expect(try await rig.store.account("margaret")?.links == ["facebook.com": "1"])
    }

    @Test func `an address that the provider reassigned does not open the old account`() async throws {
        _ = try await rig.signIn(try await rig.proof(.google, .ada))
        let body = try await rig.proof(.google, .ada) { $0.setting("sub", to: "another") }
        #expect(await rig.code(.signIn, body) == "auth/account-exists-with-different-credential")
    }

    @Test func `a private relay address belongs to no account`() async throws {
        let apple = try await rig.signIn(try await rig.proof(.apple, .alan))
        let address = try #require(DevelopmentUser.alan.email)
        #expect(try await rig.store.uid(ofEmail: address) == nil)
        let other = try await rig.signIn(try await rig.proof(.google, .ada.withEmail(address)))
        #expect(other.isNew == true && other.uid != apple.uid)
    }

    @Test func `an address with several accounts gives access to no account`() async throws {
        let rig = try await AccountsRig { $0.oneAccountPerEmail = false }
        let one = try await rig.signIn(try await rig.proof(.google, .ada))
        let two = try await rig.signIn(try await rig.proof(.oidc("corp"), .ada))
        #expect(two.isNew == true)
        #expect(one.uid != two.uid)
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
    }

    @Test func `H-03: no identity is merged into a disabled account`() async throws {
        let uid = try #require(try await rig.signIn(try await rig.proof(.google, .ada)).uid)
        try await rig.store.setDisabled(uid, true)
        #expect(await rig.code(.signIn, try await rig.proof(.oidc("corp"), .ada)) == "auth/user-disabled")
        #expect(try await rig.store.account(uid)?.links.count == 1)
    }

    @Test(arguments: [
        "a@evil.com@example.com", "\"a b\"@example.com", "ada@example.com.", "@example.com", "ada@", "ada",
        "ada@ex\u{0430}mple.com", "ada @example.com", "",
    ])
    func `E-14: an invalid address is ignored`(text: String) async throws {
        let answer = try await rig.signIn(try await rig.proof(.google, .ada.withEmail(text)))
        let uid = try #require(answer.uid)
        #expect(try await rig.store.account(uid)?.email == nil)
    }

    @Test func `an address is compared without regard to ASCII case`() {
        let document = try? JSONDocument(Array(#"{"email":"A.B@EXAMPLE.com","email_verified":true}"#.utf8))
        let email = document.flatMap { ProvenEmail($0.root) }
        #expect(email?.address == "a.b@example.com" && email?.isVerified == true)
        #expect(email?.isPrivate == false)
    }
}

@Suite(.timeLimit(.minutes(5))) struct PendingTokenTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    /// Two accounts with the same address, which only the first one has proven: the pending token that links the
    /// second, and a session of the first.
    private func conflict(_ rig: AccountsRig) async throws -> (caller: Principal, pending: String) {
        let caller = try await rig.session(.google, .ada)
        let user = DevelopmentUser.dennis.withEmail("ada@example.com", verified: false)
        let answer = await rig.call(.signIn, try await rig.proof(.facebook, user))
        return (caller, try #require(answer.pending))
    }

    /// A pending token that signs in to the account of Dennis.
    private func inUse(_ rig: AccountsRig) async throws -> String {
        let caller = try await rig.session(.google, .ada)
        _ = try await rig.session(.facebook, .dennis)
        let answer = await rig.call(.link, try await rig.proof(.facebook, .dennis), by: caller)
        return try #require(answer.pending)
    }

    @Test func `a pending credential is linked once`() async throws {
        let (caller, pending) = try await conflict(rig)
        let body: JSONObject = ["pending_token": .string(pending)]
        let answer = await rig.call(.link, body, by: caller)
        #expect(answer.providers == ["facebook.com", "google.com"])
        #expect(await rig.code(.link, body, by: caller) == "auth/invalid-credential")
        let signedIn = try await rig.signIn(try await rig.proof(.facebook, .dennis))
        #expect(signedIn.uid == caller.uid)
    }

    @Test func `a pending token of one account links to no other account`() async throws {
        let (caller, pending) = try await conflict(rig)
        let other = try await rig.session(.apple, .alan)
        let body: JSONObject = ["pending_token": .string(pending)]
        #expect(await rig.code(.link, body, by: other) == "auth/user-mismatch")
        #expect(await rig.code(.link, body, by: caller) == "ok", "the rejected call did not use the token")
    }

    @Test func `a pending token is valid for one purpose`() async throws {
        let (caller, pending) = try await conflict(rig)
        #expect(await rig.code(.signIn, ["pending_token": .string(pending)]) == "auth/invalid-credential")
        let other = try await AccountsRig()
        let signsIn = try await inUse(other)
        #expect(await rig.code(.link, ["pending_token": .string(signsIn)], by: caller) == "auth/invalid-credential")
    }

    @Test func `a pending token signs in once with the time of its proof`() async throws {
        let pending = try await inUse(rig)
        let made = rig.now
        rig.time.advance(seconds: 500)
        let body: JSONObject = ["pending_token": .string(pending), "expires_in": 600]
        let answer = try await rig.signIn(body)
        #expect(answer.claims?["auth_time"]?.integer == made)
        #expect(answer.claims?["name"]?.string == "Dennis Ritchie")
        #expect(await rig.code(.signIn, body) == "auth/invalid-credential")
    }

    @Test(arguments: [(599, "ok"), (600, "auth/invalid-credential")])
    func `a pending token is valid for ten minutes`(seconds: Double, code: String) async throws {
        let pending = try await inUse(rig)
        rig.time.advance(seconds: seconds)
        #expect(await rig.code(.signIn, ["pending_token": .string(pending)]) == code)
    }

    @Test func `H-03: a revocation after the proof applies`() async throws {
        let pending = try await inUse(rig)
        let owner = try #require(
            try await rig.store.owner(of: IdentityLink(provider: "facebook.com", subject: "1234567890")))
        rig.time.advance(seconds: 1)
        try await rig.store.revoke(owner, at: rig.now)
        #expect(await rig.code(.signIn, ["pending_token": .string(pending)]) == "auth/id-token-revoked")
    }

    @Test func `H-10: only a token that this gateway signed is accepted`() async throws {
        let pending = try await inUse(rig)
        let parts = pending.split(separator: ".").map(String.init)
        let claims = try #require(Base64URL.decode(parts[1]))
        let header = SessionDraft.key.header(type: SessionKeys.pendingType)
        let other = try SessionKeys(issuer: "https://other.example", current: SessionDraft.key, previous: [])
        let token = PendingToken.signIn(try .made(IdentityLink(provider: "facebook.com", subject: "1234567890")))
        let forged = [
            try SessionDraft.forgedKey.sign(header: header, payload: claims),
            try SessionDraft.key.sign(header: SessionDraft.key.header(type: SessionVerifier.type), payload: claims),
            try SessionDraft.key.sign(header: SessionDraft.key.header(), payload: claims),
            try SessionDraft.key.sign(header: header, payload: Array("{}".utf8)),
            try PendingTokens(keys: other).text(of: token, now: rig.now),
            pending + "A", parts[0] + "." + parts[1] + ".", "x", SessionDraft.signed(),
        ]
        for text in forged {
            #expect(await rig.code(.signIn, ["pending_token": .string(text)]) == "auth/invalid-credential")
        }
        #expect(await rig.code(.signIn, ["pending_token": .string(pending)]) == "ok")
    }

    @Test func `a pending token of the largest credential fits into a call`() async throws {
        let caller = try await rig.session(.google, .ada)
        _ = try await rig.session(.facebook, .dennis)
        let text = JSON.string(String(repeating: "x", count: 11_000))
        let body = try await rig.proof(.facebook, .dennis) { $0.setting("other", to: text) }
        let pending = try #require(await rig.call(.link, body, by: caller).pending)
        #expect(pending.utf8.count > 14_000)
        #expect(PendingToken.maximumSize + 1024 < AccountEndpoint.bodyLimit)
        // The gateway reads and uses it. As a cookie it would be too large.
        let answer = await rig.call(.signIn, ["pending_token": .string(pending)])
        #expect(answer.denial?.detail?.contains("cookie") == true)
    }

    @Test func `a token of a previous key is accepted`() async throws {
        let old = try SessionKeys(issuer: SessionDraft.issuer, current: SessionDraft.previousKey, previous: [])
        rig.authority.set(old)
        let pending = try await inUse(rig)
        rig.authority.set(try SessionDraft.keys())
        #expect(await rig.code(.signIn, ["pending_token": .string(pending)]) == "ok")
    }

    @Test func `a pending token is not a session cookie and contains nothing of the account`() async throws {
        let (caller, pending) = try await conflict(rig)
        let token = try UnverifiedJWS(pending)
        #expect(!SessionVerifier.judges(token))
        let text = String(decoding: token.payload.root.compact, as: UTF8.self)
        #expect(!text.contains(caller.uid) && !text.contains("google.com"))
        #expect(token.payload.root["nonce"] == nil && token.payload.root["claims"]?["nonce"] == nil)
    }

    @Test func `a pending token needs consent before it is used`() async throws {
        let caller = try await rig.session(.apple, .alan)
        let user = try ProvenUser.made(IdentityLink(provider: "github.com", subject: "1"), madeAt: rig.now)
        let token = try PendingToken.link(user, to: caller.user)
        let text = try PendingTokens(keys: SessionDraft.keys()).text(of: token, now: rig.now)
        var body: JSONObject = ["pending_token": .string(text)]
        #expect(await rig.code(.link, body, by: caller) == "auth/consent-required")
        body["consent"] = true
        #expect(await rig.code(.link, body, by: caller) == "ok")
    }
}

extension ProvenUser {
    /// A user without claims.
    fileprivate static func made(_ link: IdentityLink, madeAt: Int64? = nil) throws -> ProvenUser {
        let identity = try ProviderIdentity.made(provider: link.provider, subject: link.subject)
        let principal = try #require(Principal(identity, hasher: try .required()))
        return ProvenUser(
            link: link, claims: try JSONDocument(Array("{}".utf8)), signIn: SignInProof(),
            madeAt: madeAt.map(UnixTime.init(clamping:)),
            origin: try #require(SessionOrigin(principal, .accessToken)))
    }
}
