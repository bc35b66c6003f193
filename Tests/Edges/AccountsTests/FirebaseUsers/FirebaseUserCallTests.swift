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
