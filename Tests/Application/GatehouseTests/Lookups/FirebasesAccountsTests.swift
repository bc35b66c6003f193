import Accounts
import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Whose account Identity Toolkit is asked about, besides those whose credential Firebase issued.
@Suite struct FirebasesAccountsTests {
    private struct Desk {
        let toolkit = ScriptedProviders()
        let links = ScriptedLinks()
        let rig: RequestPathRig

        init() throws {
            let lookups = RemoteLookups(accounts: toolkit, links: links, linkGenerations: LinkGenerations())
            rig = try RequestPathRig(lookups: lookups) {
                $0.accounts = Configuration.Accounts()
                $0.identity.providers = [ProviderSample.apple.provider()]
            }
            try rig.installKeys()
            let view = try SessionDraft.keys().view
            try rig.onWorker { worker in worker.snapshot.sessionSet.map { worker.install(view, set: $0) } }
        }

        func send(_ field: String) throws -> LoopbackSocket {
            let client = try rig.connect()
            try client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
            return client
        }

        /// Who is looked up; the account is gone there.
        func lookedUp() async throws -> String {
            let lookUp = try await eventually("a look-up") { toolkit.lookUps.first }
            lookUp.answer(AccountStatus(answer: .missing, askedAt: rig.clock.clock.monotonic()))
            return lookUp.uid
        }
    }

    private static func cookie(ofFirebase: Bool) -> String {
        "Cookie: __session="
            + SessionDraft.signed {
                ofFirebase ? $0.withHeader("src", SessionDraft.source(more: #","firebase":true"#)) : $0
            }
    }

    @Test func aSessionOfFirebasesUser() async throws {
        let desk = try Desk()
        let client = try desk.send(Self.cookie(ofFirebase: true))
        #expect(try await desk.lookedUp() == "user-1")
        #expect(try client.readMessage().body.contains("auth/session-cookie-revoked"))
    }

    @Test func notASessionOfAnAccountOfOurs() throws {
        let desk = try Desk()
        let client = try desk.send(Self.cookie(ofFirebase: false))
        #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(client.isQuiet)
        #expect(desk.toolkit.lookUps.isEmpty)
    }

    @Test("an identity that belongs to an account, unless that was made here", arguments: [nil, 1] as [UnixTime?])
    func owners(_ created: UnixTime?) async throws {
        let desk = try Desk()
        let client = try desk.send("Authorization: Bearer " + ProviderSample.apple.signed())
        let question = try await eventually("a question") { desk.links.questions.first }
        question.answer(.owner(AccountRecord(uid: "ada", created: created)))
        if created == nil {
            #expect(try await desk.lookedUp() == "ada")
            #expect(try client.readMessage().body.contains("auth/id-token-revoked"))
        } else {
            #expect(try desk.rig.upstream.accept().readHead().values("X-Auth-Uid") == ["ada"])
            #expect(desk.toolkit.lookUps.isEmpty)
        }
    }
}
