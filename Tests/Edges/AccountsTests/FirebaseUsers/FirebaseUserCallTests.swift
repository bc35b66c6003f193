import DevelopmentIdentity
import GatewayConfiguration
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

/// Linking, unlinking, new proofs and flows of users who have a Firebase account.
@Suite(.timeLimit(.minutes(5))) struct FirebaseUserCallTests {
    private let directory = FirebaseDirectory()
    private let rig: AccountsRig
    private let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))

    init() async throws { rig = try await directory.rig() }

    /// A caller with the session of an account that Firebase does not know.
    private func other() async throws -> Principal {
        try rig.caller(try await rig.signIn(try await rig.proof(.oidc("corp"), .hedy)))
    }

    @Test func `an identity of another Firebase user cannot be linked`() async throws {
        directory.set(.google("ada", .ada))
        let answer = await rig.call(.link, try await rig.proof(.google, .ada), by: try await other())
        #expect(answer.code == "auth/credential-already-in-use")
        #expect(try await rig.store.owner(of: link) == nil, "a rejected call links nothing")
        let pending = try #require(answer.pending)
        #expect(await rig.call(.signIn, ["pending_token": .string(pending)]).uid == "ada")
    }

    @Test func `the address of another Firebase user cannot be linked`() async throws {
        let rig = try await directory.rig(usesAddresses: true)
        directory.set(FirebaseDirectory.User(uid: "ada", email: "ada@example.com"))
        let caller = try rig.caller(try await rig.signIn(try await rig.proof(.oidc("corp"), .hedy)))
        let answer = await rig.call(.link, try await rig.proof(.google, .ada), by: caller)
        #expect(answer.code == "auth/credential-already-in-use")
    }

    @Test func `a failed lookup links nothing`() async throws {
        let caller = try await other()
        directory.setDown(true)
        #expect(await rig.code(.link, try await rig.proof(.google, .ada), by: caller) == "auth/store-unavailable")
        #expect(try await rig.store.owner(of: link) == nil)
    }

    @Test func `an identity that Firebase lists is unlinked there`() async throws {
        directory.set(.google("ada", .ada))
        let caller = try rig.caller(try await rig.signIn(try await rig.proof(.google, .ada)))
        let body: JSONObject = ["provider": "google.com"]
        #expect(await rig.code(.unlink, body, by: caller) == "auth/operation-not-allowed")
        #expect(try await rig.store.owner(of: link) == "ada")
    }

    @Test func `a user who linked another provider unlinks it here`() async throws {
        directory.set(.google("ada", .ada))
        let caller = try rig.caller(try await rig.signIn(try await rig.proof(.google, .ada)))
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .ada), by: caller) == "ok")
        #expect(await rig.code(.unlink, ["provider": "oidc.corp"], by: caller) == "ok")
    }

    /// Users with a name on which an own link depends: a verified address, or an identity that Firebase lists.
    private static let owners = [
        FirebaseDirectory.User(uid: "ada", email: "ada@example.com"), .google("ada", .ada),
        FirebaseDirectory.User(
            uid: "ada", identities: [("google.com", DevelopmentUser.ada.subject(at: "google.com"))],
            email: "victim@example.com", isVerified: false),
    ]

    @Test(arguments: owners.indices)
    func `O-22: an own link ends when Firebase gives the account to the owner of its address`(index: Int) async throws {
        directory.set(Self.owners[index])
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: caller) == "ok")
        let corp = IdentityLink(provider: "oidc.corp", subject: DevelopmentUser.grace.subject(at: "oidc.corp"))
        let session = try rig.caller(try await rig.signIn(try await rig.proof(.oidc("corp"), .grace)))
        #expect(session.user == "ada" && session.sessionEvidence != nil)
        // The user registers the address of another, who then signs in at Google: Firebase removes what was there.
        directory.set(.google("ada", .dennis, email: "victim@example.com"))
        rig.time.advance(seconds: 1)
        #expect(await rig.code(.exportAccount, by: session) == "auth/session-cookie-revoked")
        #expect(await rig.code(.signIn, try await rig.proof(.oidc("corp"), .grace)) == "auth/requires-recent-login")
        #expect(try await rig.store.owner(of: corp) == nil)
        rig.time.advance(seconds: 1)
        #expect(try await rig.signIn(try await rig.proof(.oidc("corp"), .grace)).uid != "ada")
    }

    @Test func `O-22: Firebase's record decides whether the address is verified, not the credential`() async throws {
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        for user in [
            FirebaseDirectory.User(uid: "ada", email: "ada@example.com", isVerified: false),
            FirebaseDirectory.User(uid: "ada"), FirebaseDirectory.User(uid: "ada", email: "other@example.com"),
        ] {
            directory.set(user)
            rig.time.advance(seconds: 1)
            let code = await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: caller)
            #expect(code == "auth/unverified-email")
        }
        directory.set(FirebaseDirectory.User(uid: "ada", email: "ada@example.com"))
        rig.time.advance(seconds: 1)
        directory.setDown(true)
        let unknown = await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: caller)
        #expect(unknown == "auth/store-unavailable")
        directory.setDown(false)
        rig.time.advance(seconds: 10)
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: caller) == "ok")
        // An own link does not hide that a different Firebase user has the identity by now.
        directory.set(
            FirebaseDirectory.User(
                uid: "second", identities: [("oidc.corp", DevelopmentUser.grace.subject(at: "oidc.corp"))]))
        rig.time.advance(seconds: FirebaseDirectory.staleness + 1)
        let mismatch = await rig.code(.signIn, try await rig.proof(.oidc("corp"), .grace))
        #expect(mismatch == "auth/firebase-user-mismatch")
    }

    @Test func `the evidence of a link is kept by renewed cookies and by new names of the session`() async throws {
        let directory = directory
        let rig = try await AccountsRig(
            settings: { $0.sessionIdle = .seconds(1000) }, parts: { directory.install(in: &$0) })
        directory.set(.google("ada", .ada))
        let first = try await rig.session()
        let evidence = try #require(first.sessionEvidence)
        rig.time.advance(seconds: 100)
        let renewal = try #require(SessionRenewal(SessionTerms(rig.parts.settings)))
        let cookie = try #require(renewal.cookie(first, keys: SessionDraft.keys(), now: rig.now))
        let renewed = try rig.caller(CallAnswer(reply: .done(cookie: cookie)))
        let linked = try rig.caller(await rig.call(.link, try await rig.proof(.oidc("corp"), .grace), by: renewed))
        rig.time.advance(seconds: 100)
        let again = try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }
        let proved = try rig.caller(await rig.call(.reauthenticate, again, by: linked))
        for caller in [renewed, linked, proved] {
            #expect(caller.sessionEvidence == evidence && caller.facts.evidence == first.facts.evidence)
            #expect(caller.facts.evidence != nil)
        }
        #expect(Set([first, linked, proved].map(\.session)).count == 3)
        // A session that continues with another identity has the evidence of that identity.
        let corp = try rig.caller(
            await rig.call(.reauthenticate, try await rig.proof(.oidc("corp"), .grace), by: proved))
        #expect(corp.origin?.link?.provider == "oidc.corp" && corp.sessionEvidence == evidence)
        directory.change("ada") { $0.identities = [] }
        rig.time.advance(seconds: 1)
        #expect(await rig.code(.exportAccount, by: corp) == "auth/session-cookie-revoked")
    }

    @Test func `a new proof by an evicted identity is rejected`() async throws {
        directory.set(.google("ada", .ada))
        let caller = try rig.caller(try await rig.signIn(try await rig.proof(.google, .ada)))
        rig.time.advance(seconds: 1)
        #expect(await rig.code(.reauthenticate, try await rig.proof(.google, .ada), by: caller) == "ok")
        directory.change("ada") { $0.identities = [] }
        rig.time.advance(seconds: 1)
        let answer = await rig.call(.reauthenticate, try await rig.proof(.google, .ada), by: caller)
        #expect(answer.code == "auth/session-cookie-revoked")
        let firebase = try rig.caller(firebase: FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now))
        rig.time.advance(seconds: 1)
        let proof = try await rig.proof(.google, .ada)
        #expect(await rig.code(.reauthenticate, proof, by: firebase) == "auth/requires-recent-login")
        #expect(try await rig.store.owner(of: link) == nil)
    }

    @Test func `flows and codes of apps find the same user`() async throws {
        directory.set(.google("ada", .ada))
        let directory = directory
        let flow = try await FlowRig.withApps(parts: { directory.install(in: &$0) })
        let begun = try await flow.begin()
        let answer = await flow.finish(begun, as: .ada)
        #expect(try flow.rig.caller(answer).user == "ada", "\(flow.rig.log.text)")
        #expect(try await flow.appSession().user == "ada")
        directory.change("ada") { $0.identities = [] }
        let app = FlowRig.App()
        let code = try await flow.code(of: app)
        flow.rig.time.advance(seconds: 1)
        #expect(await flow.redeem(.signIn, code, app.verifier).code == "auth/requires-recent-login")
    }
}
