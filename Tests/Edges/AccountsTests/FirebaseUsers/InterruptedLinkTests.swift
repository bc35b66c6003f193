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
@testable import SystemFixtures

/// Links from Firebase in Redis whose key was taken, and which the account does not list: a call was interrupted
/// between both steps, or is between them.
@Suite(.closingStores, .timeLimit(.minutes(5))) struct InterruptedLinkTests {
    private let directory = FirebaseDirectory()
    private let rig: AccountsRig
    private let store: RedisStore

    init() async throws {
        let directory = directory
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        rig = try await AccountsRig(parts: {
            $0.store = store
            directory.install(in: &$0)
        })
        self.store = store
        let subject = DevelopmentUser.ada.subject(at: "google.com")
        try database.cli("SET", "gatehouse:link:{google.com:\(subject)}", "ada")
    }

    @Test func `a sign-in lists the link with its evidence`() async throws {
        directory.set(.google("ada", .ada))
        let answer = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(answer.uid == "ada", "\(rig.log.text)")
        #expect(try rig.caller(answer).facts.evidence != nil)
        #expect(try await store.account("ada")?.evidence["google.com"] != nil)
    }

    @Test func `an identity that Firebase does not list is refused, and free afterwards`() async throws {
        #expect(await rig.code(.signIn, try await rig.proof(.google, .ada)) == "auth/requires-recent-login")
        #expect(try await store.account("ada")?.links.isEmpty ?? true)
        let next = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(next.isNew == true && next.uid != "ada", "\(rig.log.text)")
    }

    @Test func `an identity of another Firebase user is refused, and then that user's`() async throws {
        directory.set(.google("grace", .ada))
        #expect(await rig.code(.signIn, try await rig.proof(.google, .ada)) == "auth/requires-recent-login")
        #expect(await rig.call(.signIn, try await rig.proof(.google, .ada)).uid == "grace", "\(rig.log.text)")
    }
}
