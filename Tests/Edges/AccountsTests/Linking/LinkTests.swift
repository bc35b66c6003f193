import Authorization
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(5))) struct LinkTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `after linking, also repeatedly, either provider signs in to the account`() async throws {
        let caller = try await rig.session()
        let answer = await rig.call(.link, rig.gitHub(), by: caller)
        #expect(answer.code == "ok")
        #expect(answer.json?.members.map(\.name) == ["uid", "providers"])
        #expect(answer.uid == caller.uid && answer.providers == ["github.com", "google.com"])
        let again = await rig.call(.link, rig.gitHub(), by: caller)
        #expect(again.code == "ok" && again.providers == answer.providers, "a repeated link changes nothing")
        let other = try await rig.signIn(rig.gitHub())
        #expect(other.uid == caller.uid && other.isNew == false)
    }

    @Test func `each link is in the audit log`() async throws {
        let caller = try await rig.session()
        _ = await rig.call(.link, rig.gitHub(), by: caller)
        _ = await rig.call(.unlink, ["provider": "google.com"], by: caller)
        let lines = rig.log.all.filter { $0.level == .notice }.map(\.text)
        #expect(lines.count == 2)
        for (line, event) in zip(lines, ["link", "unlink"]) {
            #expect(line.contains("\"event\": \(event)") && line.contains(caller.uid) && line.contains("request-1"))
            #expect(!line.contains("example.com") && !line.contains("583231"), "neither address nor subject")
        }
        #expect(lines[0].contains("\"provider\": github.com") && lines[0].contains("\"consent\": false"))
    }

    @Test func `another identity of a linked provider is rejected`() async throws {
        let caller = try await rig.session()
        let answer = await rig.call(.link, try await rig.proof(.google, .dennis), by: caller)
        #expect(answer.code == "auth/provider-already-linked")
    }

    @Test func `only the identity that Firebase lists may be linked`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(
            await rig.code(.link, try await rig.proof(.google, .dennis), by: caller)
                == "auth/provider-already-linked")
        let answer = await rig.call(.link, try await rig.proof(.google, .ada), by: caller)
        #expect(answer.code == "ok" && answer.uid == "ada")
        #expect(try await rig.signIn(try await rig.proof(.google, .ada)).uid == "ada")
        #expect(
            await rig.code(.unlink, ["provider": "google.com"], by: caller) == "ok",
            "this user signs in with Firebase")
    }

    @Test func `an identity of another account is rejected with a pending token`() async throws {
        let caller = try await rig.session()
        let other = try await rig.session(.google, .dennis)
        let taken = await rig.call(.link, try await rig.proof(.facebook, .dennis.withEmail(nil)), by: other)
        #expect(taken.code == "ok")
        let answer = await rig.call(.link, try await rig.proof(.facebook, .dennis.withEmail(nil)), by: caller)
        #expect(answer.code == "auth/credential-already-in-use" && answer.json?.count == 1)
        let pending = try #require(answer.pending)
        let signedIn = try await rig.signIn(["pending_token": .string(pending)])
        #expect(signedIn.uid == other.uid && signedIn.isNew == false)
    }

    @Test func `the address is reported if account existence is not hidden`() async throws {
        let rig = try await AccountsRig { $0.hideAccountExistence = false }
        let caller = try await rig.session()
        _ = try await rig.session(.facebook, .dennis)
        let answer = await rig.call(.link, try await rig.proof(.facebook, .dennis), by: caller)
        #expect(answer.code == "auth/credential-already-in-use")
        #expect(answer.string("email") == "dennis@example.com")
        let email = await rig.call(.link, try await rig.proof(.oidc("corp"), .dennis), by: caller)
        #expect(email.code == "auth/email-already-in-use")
        #expect(email.string("email") == "dennis@example.com")
    }

    @Test(arguments: [true, false])
    func `an address of another account is rejected, verified or not`(verified: Bool) async throws {
        let caller = try await rig.session()
        _ = try await rig.session(.facebook, .dennis)
        let user = DevelopmentUser.dennis.withEmail("Dennis@example.com", verified: verified)
        let answer = await rig.call(.link, try await rig.proof(.oidc("corp"), user), by: caller)
        #expect(answer.code == "auth/email-already-in-use" && answer.text == "{}")
    }

    @Test func `an address may have several accounts if configured`() async throws {
        let rig = try await AccountsRig { $0.oneAccountPerEmail = false }
        let caller = try await rig.session()
        _ = try await rig.session(.facebook, .dennis)
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .dennis), by: caller) == "ok")
    }

    @Test func `an account without an address inherits one`() async throws {
        let nameless = try await rig.proof(.oidc("corp"), .grace.withEmail(nil)) { $0.removing("name") }
        let caller = try rig.caller(try await rig.signIn(nameless))
        #expect(await rig.code(.link, try await rig.proof(.google, .ada), by: caller) == "ok")
        let account = try await rig.store.account(caller.uid)
        #expect(account?.email == "ada@example.com" && account?.emailVerified == true)
        #expect(account?.name == "Ada Lovelace")
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == caller.user)
    }

    @Test func `an account keeps its address, which a link may verify`() async throws {
        let user = DevelopmentUser.dennis.withEmail("ada@example.com", verified: false)
        let caller = try await rig.session(.facebook, user)
        #expect(try await rig.store.account(caller.uid)?.emailVerified == false)
        #expect(await rig.code(.link, try await rig.proof(.google, .ada), by: caller) == "ok")
        #expect(try await rig.store.account(caller.uid)?.emailVerified == true)
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .barbara), by: caller) == "ok")
        #expect(try await rig.store.account(caller.uid)?.email == "ada@example.com")
    }

    @Test func `a link does not change the address of a Firebase user`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .verifiedGrace, now: rig.now))
        #expect(await rig.code(.link, try await rig.proof(.google, .ada), by: caller) == "ok")
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
    }

    /// Firebase gives such an account to the owner of the address, whose next user would keep the link.
    @Test(arguments: [DevelopmentUser.grace, .margaret, .guest])
    func `O-22: a Firebase user without a verified address links nothing, in any way`(user: DevelopmentUser)
        async throws
    {
        let flow = try await FlowRig.withApps()
        let token = FirebaseToken.idToken(for: user, now: flow.rig.now).signedIn(at: flow.rig.now)
        let session = await flow.rig.call(.session, ["id_token": .string(try token.signed(by: TokenDraft.key))])
        let caller = try flow.rig.caller(session)
        let answer = await flow.rig.call(.link, try await flow.rig.proof(.google, .ada), by: caller)
        #expect(answer.denial?.code == .unverifiedEmail && answer.code == "auth/unverified-email")
        let begun = try await flow.begin(.startLink, "google.com", by: caller)
        let back = await flow.finish(begun, as: .ada, session: session.token)
        #expect(back.location == "https://app.example/?error=auth%2Funverified-email" && back.cookie == nil)
        let app = FlowRig.App()
        let code = try await flow.code(of: app, purpose: "link")
        #expect(await flow.redeem(.link, code, app.verifier, by: caller).code == "auth/unverified-email")
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        #expect(try await flow.rig.store.owner(of: link) == nil)
        #expect(await flow.rig.code(.sessions, by: caller, isExact: true) == "ok", "the session keeps its name")
    }

    @Test func `I-01: linking and unlinking need a recent sign-in`() async throws {
        let caller = try await rig.session()
        rig.time.advance(seconds: 301)
        for (endpoint, body) in [(AccountEndpoint.link, rig.gitHub()), (.unlink, ["provider": "google.com"])] {
            let answer = await rig.call(endpoint, body, by: caller)
            #expect(answer.code == "auth/requires-recent-login" && answer.denial?.maxAge == 300)
        }
    }

    @Test func `I-11: a session that started without a sign-in time is never recent`() async throws {
        let body: JSONObject = ["provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada))]
        let caller = try rig.caller(try await rig.signIn(body))
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "auth/requires-recent-login")
    }

    @Test func `H-03: revocations are read from the store`() async throws {
        let caller = try await rig.session()
        try await rig.store.revokeSession(caller.uid, try #require(caller.session))
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "auth/session-cookie-revoked")
        try await rig.store.setDisabled(caller.uid, true)
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "auth/user-disabled", "H-02")
    }

    @Test func `a user who is disabled while linking leaves no link`() async throws {
        let firebase = ChangingAccounts([
            .account(validSince: nil, disabled: false), .account(validSince: nil, disabled: true),
        ])
        let rig = try await AccountsRig(parts: { $0.firebase = firebase })
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "auth/user-disabled")
        #expect(try await rig.store.owner(of: IdentityLink(provider: "github.com", subject: "583231")) == nil)
        #expect(!rig.log.text.contains("\"event\": link"))
    }

    @Test func `a provider token without an account cannot link`() async throws {
        let identity = try ProviderIdentity.made(authTime: rig.now)
        let caller = try #require(Principal(identity, hasher: try .required()))
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "auth/operation-not-allowed")
        #expect(await rig.code(.unlink, ["provider": "google.com"], by: caller) == "auth/operation-not-allowed")
    }

    @Test func `an identity that was unlinked since the request started changes nothing`() async throws {
        let owner = try await rig.session()
        #expect(await rig.code(.link, rig.gitHub(), by: owner) == "ok")
        let identity = try ProviderIdentity.made(provider: "github.com", subject: "583231", authTime: rig.now)
        let hasher = try SHA256Hasher.required()
        let account = try #require(try await rig.store.account(owner.uid))
        let caller = try #require(Principal(identity, hasher: hasher)?.owned(by: account, hasher: hasher))
        #expect(await rig.code(.unlink, ["provider": "github.com"], by: owner) == "ok")
        let body = try await rig.proof(.facebook, .dennis)
        #expect(await rig.code(.link, body, by: caller) == "auth/user-mismatch")
        #expect(await rig.code(.signOut, ["everywhere": true], by: caller) == "auth/user-mismatch")
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["google.com"])
    }

    @Test func `only a linked provider can be unlinked`() async throws {
        let caller = try await rig.session()
        _ = await rig.call(.link, rig.gitHub(), by: caller)
        for provider in ["apple.com", "unknown", "a:b", "Google.com"] {
            #expect(await rig.code(.unlink, ["provider": .string(provider)], by: caller) == "auth/no-such-provider")
        }
        let answer = await rig.call(.unlink, ["provider": "google.com"], by: caller)
        #expect(answer.providers == ["github.com"] && answer.cookie == .clear, "the session was Google's")
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "auth/session-cookie-revoked")
        let other = try await rig.session(.apple, .alan)
        let last = await rig.call(.unlink, ["provider": "apple.com"], by: other)
        #expect(last.code == "auth/operation-not-allowed")
        #expect(last.denial?.detail?.contains("only provider") == true)
        #expect(try await rig.signIn(rig.gitHub()).uid == caller.uid)
    }

    @Test func `the number of links of an account is bounded`() async throws {
        let caller = try await rig.session()
        for number in 1..<StoreBounds.maximumLinks {
            _ = try await rig.store.claim(IdentityLink(provider: "oidc.\(number)", subject: "s"), for: caller.uid)
        }
        let answer = await rig.call(.link, rig.gitHub(), by: caller)
        #expect(answer.code == "auth/operation-not-allowed")
    }
}

/// Linking an anonymized Apple ID to an identity that identifies the user requires the user's consent.
@Suite(.timeLimit(.minutes(5))) struct ConsentTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `consent is required before the proof is used, and logged`() async throws {
        let caller = try await rig.session(.apple, .alan)
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "auth/consent-required", "a social account")
        var body = try await rig.proof(.google, .ada)
        #expect(await rig.code(.link, body, by: caller) == "auth/consent-required")
        body["consent"] = false
        #expect(await rig.code(.link, body, by: caller) == "auth/consent-required")
        body["consent"] = true
        #expect(await rig.code(.link, body, by: caller) == "ok", "the same proof")
        #expect(rig.log.text.contains("\"consent\": true"))
    }

    @Test(arguments: ["google.com", "oidc.corp", "firebase"])
    func `linking an anonymized Apple ID needs consent`(kind: String) async throws {
        let caller: Principal
        switch kind {
        case "oidc.corp": caller = try await rig.session(.oidc("corp"), .grace.withEmail(nil))
        case "google.com": caller = try await rig.session(.google, .ada)
        default: caller = try rig.caller(firebase: .idToken(for: .verifiedGrace, now: rig.now))
        }
        var body = try await rig.proof(.apple, .alan)
        #expect(await rig.code(.link, body, by: caller) == "auth/consent-required")
        body["consent"] = true
        #expect(await rig.code(.link, body, by: caller) == "ok")
    }

    @Test func `a Firebase user with an anonymized Apple ID needs consent`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .alan, now: rig.now))
        #expect(await rig.code(.link, try await rig.proof(.google, .ada), by: caller) == "auth/consent-required")
        #expect(await rig.code(.link, try await rig.proof(.apple, .alan), by: caller) == "ok", "both hide it")
    }

    @Test func `consent is required once`() async throws {
        let caller = try await rig.session(.apple, .alan)
        _ = await rig.call(.link, try await rig.proof(.google, .ada, ["consent": true]), by: caller)
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "ok")
    }

    @Test func `an identity with an address needs no consent`() async throws {
        let caller = try await rig.session(.google, .ada)
        let apple = DevelopmentUser.alan.withEmail("alan@example.com")
        #expect(await rig.code(.link, try await rig.proof(.apple, apple), by: caller) == "ok")
    }
}
