import Authentication
import DevelopmentIdentity
import GatewayCore
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The bounds of the outbox, as the users of accounts see them.
@Suite struct OutboxBoundTests {
    private static let link = IdentityLink(provider: "oidc.a", subject: "1")

    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private func switchOn(limit: Int) {
        rig.store.outbox.set(
            OutboxSwitch.Policy(destinations: [OutboxMessage.webhook], limit: limit, reserve: 0, added: { _ in }))
    }

    private func unlink(by caller: Principal) async throws -> CallAnswer {
        _ = try await rig.store.claim(Self.link, for: caller.user, unlessUnlinked: false)
        return await rig.call(.unlink, ["provider": "oidc.a"], by: caller)
    }

    private func body(of answer: CallAnswer) -> String {
        guard case .json(let body, _) = answer.reply else { return answer.code }
        return String(decoding: body, as: UTF8.self)
    }

    @Test func `a user unlinks 32 identities a day, and can still delete the account`() async throws {
        let caller = try await rig.session()
        switchOn(limit: 100)
        for _ in 1...OutboxSwitch.removalsPerDay {
            #expect(try await unlink(by: caller).code == "ok")
        }
        let denial = try #require(try await unlink(by: caller).denial)
        #expect(denial.code == .rateLimited && denial.retryAfter == 3_600)
        #expect(try await rig.store.owner(of: Self.link) == caller.user, "nothing changed")
        #expect(await rig.code(.deleteAccount, by: caller) == "ok")
    }

    @Test func `without an outbox unlinks are not counted`() async throws {
        let caller = try await rig.session()
        for _ in 0...OutboxSwitch.removalsPerDay {
            #expect(try await unlink(by: caller).code == "ok")
        }
    }

    @Test func `an identity deletes 32 accounts a day`() async throws {
        let caller = try await rig.session()
        switchOn(limit: 100)
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        for _ in 1...OutboxSwitch.removalsPerDay {
            #expect(try await rig.store.countRemoval(by: UserKey(link)))
        }
        #expect(await rig.code(.deleteAccount, by: caller) == "request/rate-limited")
        #expect(try await rig.store.account(caller.user) != nil)
    }

    @Test func `a removal takes effect if the outbox is full, and its response says so`() async throws {
        let caller = try await rig.session()
        switchOn(limit: 1)
        #expect(!body(of: try await unlink(by: caller)).contains("dropped_messages"))
        let unlinked = try await unlink(by: caller)
        #expect(body(of: unlinked).contains(#""providers":["google.com"],"dropped_messages":1"#))
        #expect(try await rig.store.owner(of: Self.link) == nil)
        let deleted = await rig.call(.deleteAccount, by: caller)
        #expect(body(of: deleted).contains(#"{"dropped_messages":1}"#) && deleted.cookie == .clear)
        #expect(try await rig.store.account(caller.user) == nil)
    }
}
