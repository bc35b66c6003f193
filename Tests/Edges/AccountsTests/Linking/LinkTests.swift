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

@Suite(.timeLimit(.minutes(1))) struct LinkTests {
    @Test func afterLinkingEitherProviderSignsInToTheAccount() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let answer = await rig.call(.link, rig.gitHub(), by: caller)
        #expect(answer.code == "ok")
        #expect(answer.json?.members.map(\.name) == ["uid", "providers"])
        #expect(answer.uid == caller.uid)
        #expect(answer.providers == ["github.com", "google.com"])
        let other = try await rig.signIn(rig.gitHub())
        #expect(other.uid == caller.uid)
        #expect(other.isNew == false)
    }

    @Test func eachLinkIsInTheAuditLog() async throws {
        let rig = try await AccountsRig()
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

    @Test func theSameLinkOnceMoreChangesNothing() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        _ = await rig.call(.link, rig.gitHub(), by: caller)
        let again = await rig.call(.link, rig.gitHub(), by: caller)
        #expect(again.code == "ok")
        #expect(again.providers == ["github.com", "google.com"])
    }

    @Test func anotherIdentityOfALinkedProviderIsRefused() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let answer = await rig.call(.link, try await rig.proof(.google, .dennis), by: caller)
        #expect(answer.code == "auth/provider-already-linked")
    }

    @Test("the identity that Firebase lists is the one that may be linked")
    func firebaseIdentity() async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(
            await rig.call(.link, try await rig.proof(.google, .dennis), by: caller).code
                == "auth/provider-already-linked")
        let answer = await rig.call(.link, try await rig.proof(.google, .ada), by: caller)
        #expect(answer.code == "ok")
        #expect(answer.uid == "ada")
        #expect(try await rig.signIn(try await rig.proof(.google, .ada)).uid == "ada")
        #expect(
            await rig.call(.unlink, ["provider": "google.com"], by: caller).code == "ok",
            "its user signs in at Firebase")
    }

    @Test func whatBelongsToAnotherAccountIsToldWithWhatToDoAboutIt() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let other = try await rig.session(.google, .dennis)
        let taken = await rig.call(.link, try await rig.proof(.facebook, .dennis.withEmail(nil)), by: other)
        #expect(taken.code == "ok")
        let answer = await rig.call(.link, try await rig.proof(.facebook, .dennis.withEmail(nil)), by: caller)
        #expect(answer.code == "auth/credential-already-in-use")
        #expect(answer.json?.count == 1)
        let pending = try #require(answer.pending)
        let signedIn = try await rig.signIn(["pending_token": .string(pending)])
        #expect(signedIn.uid == other.uid)
        #expect(signedIn.isNew == false)
    }

    @Test("the address is told where whose it is is no secret")
    func told() async throws {
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

    @Test("an address of another account is refused, verified or not", arguments: [true, false])
    func emailInUse(verified: Bool) async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        _ = try await rig.session(.facebook, .dennis)
        let user = DevelopmentUser.dennis.withEmail("Dennis@example.com", verified: verified)
        let answer = await rig.call(.link, try await rig.proof(.oidc("corp"), user), by: caller)
        #expect(answer.code == "auth/email-already-in-use")
        #expect(answer.text == "{}")
    }

    @Test func whereAddressesMayHaveSeveralAccountsNoneIsInUse() async throws {
        let rig = try await AccountsRig { $0.oneAccountPerEmail = false }
        let caller = try await rig.session()
        _ = try await rig.session(.facebook, .dennis)
        #expect(await rig.call(.link, try await rig.proof(.oidc("corp"), .dennis), by: caller).code == "ok")
    }

    @Test func anAccountWithoutAnAddressInheritsOne() async throws {
        let rig = try await AccountsRig()
        let nameless = try await rig.proof(.oidc("corp"), .grace.withEmail(nil)) { $0.removing("name") }
        let caller = try rig.caller(try await rig.signIn(nameless))
        #expect(await rig.call(.link, try await rig.proof(.google, .ada), by: caller).code == "ok")
        let account = try await rig.store.account(caller.uid)
        #expect(account?.email == "ada@example.com")
        #expect(account?.emailVerified == true)
        #expect(account?.name == "Ada Lovelace")
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == caller.user)
    }

    @Test("an account keeps its address, which may be vouched for by a link")
    func vouchedFor() async throws {
        let rig = try await AccountsRig()
        let user = DevelopmentUser.dennis.withEmail("ada@example.com", verified: false)
        let caller = try await rig.session(.facebook, user)
        #expect(try await rig.store.account(caller.uid)?.emailVerified == false)
        #expect(await rig.call(.link, try await rig.proof(.google, .ada), by: caller).code == "ok")
        #expect(try await rig.store.account(caller.uid)?.emailVerified == true)
        #expect(await rig.call(.link, try await rig.proof(.oidc("corp"), .barbara), by: caller).code == "ok")
        #expect(try await rig.store.account(caller.uid)?.email == "ada@example.com")
    }

    @Test("a Firebase user's address stays Firebase's affair")
    func firebaseAddress() async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(firebase: .idToken(for: .grace, now: rig.now))
        #expect(await rig.call(.link, try await rig.proof(.google, .ada), by: caller).code == "ok")
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
        let phone = try rig.caller(firebase: .idToken(for: .margaret, now: rig.now))
        #expect(await rig.call(.link, try await rig.proof(.oidc("corp"), .ada), by: phone).code == "ok")
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == "margaret", "she has none")
    }

    @Test("I-01: only a recent sign-in links and unlinks")
    func recent() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        rig.time.advance(seconds: 301)
        for (endpoint, body) in [(AccountEndpoint.link, rig.gitHub()), (.unlink, ["provider": "google.com"])] {
            let answer = await rig.call(endpoint, body, by: caller)
            #expect(answer.code == "auth/requires-recent-login")
            #expect(answer.denial?.maxAge == 300)
        }
    }

    @Test("I-11: a session that began without a time is never recent")
    func untimed() async throws {
        let rig = try await AccountsRig()
        let body: JSONObject = ["provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada))]
        let caller = try rig.caller(try await rig.signIn(body))
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "auth/requires-recent-login")
    }

    @Test("H-03: revocations are asked of the store itself")
    func revoked() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        try await rig.store.revokeSession(caller.uid, try #require(caller.session))
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "auth/session-cookie-revoked")
        try await rig.store.setDisabled(caller.uid, true)
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "auth/user-disabled", "H-02")
    }

    @Test("who is put out of the account while linking leaves no link behind")
    func putOutMeanwhile() async throws {
        let firebase = ChangingAccounts([
            .account(validSince: nil, disabled: false), .account(validSince: nil, disabled: true),
        ])
        let rig = try await AccountsRig(parts: { $0.firebase = firebase })
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "auth/user-disabled")
        #expect(try await rig.store.owner(of: IdentityLink(provider: "github.com", subject: "583231")) == nil)
        #expect(!rig.log.text.contains("\"event\": link"))
    }

    @Test func whoOnlyHasAProvidersTokenHasNoAccountToLinkTo() async throws {
        let rig = try await AccountsRig()
        let identity = try ProviderIdentity.made(authTime: rig.now)
        let caller = try #require(Principal(identity, hasher: try .required()))
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "auth/operation-not-allowed")
        #expect(await rig.call(.unlink, ["provider": "google.com"], by: caller).code == "auth/operation-not-allowed")
    }

    @Test("whose identity was unlinked since the request began changes the account no more")
    func unlinkedMeanwhile() async throws {
        let rig = try await AccountsRig()
        let owner = try await rig.session()
        #expect(await rig.call(.link, rig.gitHub(), by: owner).code == "ok")
        let identity = try ProviderIdentity.made(provider: "github.com", subject: "583231", authTime: rig.now)
        let hasher = try SHA256Hasher.required()
        let account = try #require(try await rig.store.account(owner.uid))
        let caller = try #require(Principal(identity, hasher: hasher)?.owned(by: account, hasher: hasher))
        #expect(await rig.call(.unlink, ["provider": "github.com"], by: owner).code == "ok")
        let body = try await rig.proof(.facebook, .dennis)
        #expect(await rig.call(.link, body, by: caller).code == "auth/user-mismatch")
        #expect(await rig.call(.signOut, ["everywhere": true], by: caller).code == "auth/user-mismatch")
        #expect(try await rig.store.account(owner.uid)?.links.keys.sorted() == ["google.com"])
    }

    @Test func unlinkingNamesAProviderThatIsLinked() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        _ = await rig.call(.link, rig.gitHub(), by: caller)
        for provider in ["apple.com", "unknown", "a:b", "Google.com"] {
            #expect(
                await rig.call(.unlink, ["provider": .string(provider)], by: caller).code == "auth/no-such-provider")
        }
        let answer = await rig.call(.unlink, ["provider": "google.com"], by: caller)
        #expect(answer.providers == ["github.com"])
        #expect(answer.cookie == .clear, "the session was Google's")
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "auth/session-cookie-revoked")
        let other = try await rig.session(.apple, .alan)
        let last = await rig.call(.unlink, ["provider": "apple.com"], by: other)
        #expect(last.code == "auth/operation-not-allowed")
        #expect(last.denial?.detail?.contains("only provider") == true)
        #expect(try await rig.signIn(rig.gitHub()).uid == caller.uid)
    }

    @Test func anAccountHasOnlySoManyLinks() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        for number in 1..<StoreBounds.maximumLinks {
            _ = try await rig.store.claim(IdentityLink(provider: "oidc.\(number)", subject: "s"), for: caller.uid)
        }
        let answer = await rig.call(.link, rig.gitHub(), by: caller)
        #expect(answer.code == "auth/operation-not-allowed")
    }
}
