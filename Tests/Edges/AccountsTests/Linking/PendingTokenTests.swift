import Authentication
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite(.timeLimit(.minutes(1))) struct PendingTokenTests {
    /// Two accounts with one address, the second not proven: the pending token that links it, and a session of the
    /// first.
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

    @Test("after an old sign-in, the pending credential is linked, once")
    func link() async throws {
        let rig = try await AccountsRig()
        let (caller, pending) = try await conflict(rig)
        let body: JSONObject = ["pending_token": .string(pending)]
        let answer = await rig.call(.link, body, by: caller)
        #expect(answer.providers == ["facebook.com", "google.com"])
        #expect(await rig.call(.link, body, by: caller).code == "auth/invalid-credential")
        let signedIn = try await rig.signIn(try await rig.proof(.facebook, .dennis))
        #expect(signedIn.uid == caller.uid)
    }

    @Test("the token of one account links to no other")
    func bound() async throws {
        let rig = try await AccountsRig()
        let (caller, pending) = try await conflict(rig)
        let other = try await rig.session(.apple, .alan)
        let body: JSONObject = ["pending_token": .string(pending)]
        #expect(await rig.call(.link, body, by: other).code == "auth/user-mismatch")
        #expect(await rig.call(.link, body, by: caller).code == "ok", "that did not use it up")
    }

    @Test("a pending token serves what it was made for")
    func purposes() async throws {
        let rig = try await AccountsRig()
        let (caller, pending) = try await conflict(rig)
        #expect(await rig.call(.signIn, ["pending_token": .string(pending)]).code == "auth/invalid-credential")
        let other = try await AccountsRig()
        let signsIn = try await inUse(other)
        #expect(
            await rig.call(.link, ["pending_token": .string(signsIn)], by: caller).code == "auth/invalid-credential")
    }

    @Test func itSignsInOnceWithTheTimeOfItsProof() async throws {
        let rig = try await AccountsRig()
        let pending = try await inUse(rig)
        let made = rig.now
        rig.time.advance(seconds: 500)
        let body: JSONObject = ["pending_token": .string(pending), "expires_in": 600]
        let answer = try await rig.signIn(body)
        #expect(answer.claims?["auth_time"]?.integer == made)
        #expect(answer.claims?["name"]?.string == "Dennis Ritchie")
        #expect(await rig.call(.signIn, body).code == "auth/invalid-credential")
    }

    @Test("it lasts ten minutes", arguments: [(599, "ok"), (600, "auth/invalid-credential")])
    func lifetime(seconds: Double, code: String) async throws {
        let rig = try await AccountsRig()
        let pending = try await inUse(rig)
        rig.time.advance(seconds: seconds)
        #expect(await rig.call(.signIn, ["pending_token": .string(pending)]).code == code)
    }

    @Test("H-03: a revocation since the proof counts")
    func revoked() async throws {
        let rig = try await AccountsRig()
        let pending = try await inUse(rig)
        let owner = try #require(
            try await rig.store.owner(of: IdentityLink(provider: "facebook.com", subject: "1234567890")))
        rig.time.advance(seconds: 1)
        try await rig.store.revoke(owner, at: rig.now)
        #expect(await rig.call(.signIn, ["pending_token": .string(pending)]).code == "auth/id-token-revoked")
    }

    @Test("H-10: only what was signed here counts")
    func forged() async throws {
        let rig = try await AccountsRig()
        let pending = try await inUse(rig)
        let parts = pending.split(separator: ".").map(String.init)
        let claims = try #require(Base64URL.decode(parts[1]))
        let header = SessionDraft.key.header(type: SessionKeys.pendingType)
        let other = try SessionKeys(issuer: "https://other.example", current: SessionDraft.key, previous: [])
        let token = PendingToken.signIn(
            try .made(IdentityLink(provider: "facebook.com", subject: "1234567890")))
        let forged = [
            try SessionDraft.forgedKey.sign(header: header, payload: claims),
            try SessionDraft.key.sign(header: SessionDraft.key.header(type: SessionVerifier.type), payload: claims),
            try SessionDraft.key.sign(header: SessionDraft.key.header(), payload: claims),
            try SessionDraft.key.sign(header: header, payload: Array("{}".utf8)),
            try PendingTokens(keys: other).text(of: token, now: rig.now),
            pending + "A", parts[0] + "." + parts[1] + ".", "x", SessionDraft.signed(),
        ]
        for text in forged {
            #expect(await rig.call(.signIn, ["pending_token": .string(text)]).code == "auth/invalid-credential")
        }
        #expect(await rig.call(.signIn, ["pending_token": .string(pending)]).code == "ok")
    }

    @Test("the claims of a credential of any size fit in, and it fits into a call")
    func size() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.google, .ada)
        _ = try await rig.session(.facebook, .dennis)
        let text = JSON.string(String(repeating: "x", count: 11_000))
        let body = try await rig.proof(.facebook, .dennis) { $0.setting("other", to: text) }
        let pending = try #require(await rig.call(.link, body, by: caller).pending)
        #expect(pending.utf8.count > 14_000)
        #expect(PendingToken.maximumSize + 1024 < AccountEndpoint.bodyLimit)
        // It is read, and used; the cookie would be too large.
        let answer = await rig.call(.signIn, ["pending_token": .string(pending)])
        #expect(answer.denial?.detail?.contains("cookie") == true)
    }

    @Test("a key that signed before still counts")
    func rotation() async throws {
        let rig = try await AccountsRig()
        let old = try SessionKeys(issuer: SessionDraft.issuer, current: SessionDraft.previousKey, previous: [])
        rig.authority.set(old)
        let pending = try await inUse(rig)
        rig.authority.set(try SessionDraft.keys())
        #expect(await rig.call(.signIn, ["pending_token": .string(pending)]).code == "ok")
    }

    @Test("it is no session cookie, and tells nothing of the account")
    func content() async throws {
        let rig = try await AccountsRig()
        let (caller, pending) = try await conflict(rig)
        let token = try UnverifiedJWS(pending)
        #expect(!SessionVerifier.judges(token))
        let text = String(decoding: token.payload.root.compact, as: UTF8.self)
        #expect(!text.contains(caller.uid) && !text.contains("google.com"))
        #expect(token.payload.root["nonce"] == nil && token.payload.root["claims"]?["nonce"] == nil)
    }

    @Test("consent is asked of pending tokens before they are used")
    func consent() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.apple, .alan)
        let user = try ProvenUser.made(IdentityLink(provider: "github.com", subject: "1"), madeAt: rig.now)
        let token = try PendingToken.link(user, to: caller.user)
        let text = try PendingTokens(keys: SessionDraft.keys()).text(of: token, now: rig.now)
        var body: JSONObject = ["pending_token": .string(text)]
        #expect(await rig.call(.link, body, by: caller).code == "auth/consent-required")
        body["consent"] = true
        #expect(await rig.call(.link, body, by: caller).code == "ok")
    }
}

extension ProvenUser {
    /// A user of whom nothing else is known.
    fileprivate static func made(_ link: IdentityLink, madeAt: Int64? = nil) throws -> ProvenUser {
        let identity = try ProviderIdentity.made(provider: link.provider, subject: link.subject)
        let principal = try #require(Principal(identity, hasher: try .required()))
        return ProvenUser(
            link: link, claims: try JSONDocument(Array("{}".utf8)), signIn: SignInProof(),
            madeAt: madeAt.map(UnixTime.init(clamping:)),
            origin: try #require(SessionOrigin(principal, .accessToken)))
    }
}
