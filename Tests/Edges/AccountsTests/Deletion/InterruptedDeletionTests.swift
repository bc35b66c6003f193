import Authentication
import DevelopmentIdentity
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Deletions in Redis that ended after the user was disabled.
@Suite(.closingStores, .timeLimit(.minutes(5))) struct InterruptedDeletionTests {
    private let rig: AccountsRig
    private let store: RedisStore
    private let database: RedisDatabase

    init() async throws {
        let database = try await RedisDatabase.fresh()
        let store = try await database.loadedStore()
        rig = try await AccountsRig(parts: { $0.store = store })
        (self.store, self.database) = (store, database)
    }

    /// Signs in and interrupts the deletion of the account.
    private func interrupted() async throws -> Principal {
        let caller = try await rig.session()
        try database.cli(
            "HSET", "gatehouse:user:{\(caller.uid)}", "valid_since", "\(rig.now)", "disabled", "1", "deleted",
            "\(rig.now)")
        #expect(try await store.account(caller.user) != nil)
        return caller
    }

    private func expectDeleted(
        _ caller: Principal, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await store.account(caller.user) == nil, sourceLocation: sourceLocation)
        #expect(
            try database.changes().contains("uid \(caller.uid) disabled 1"), "all gateways learn of it",
            sourceLocation: sourceLocation)
    }

    @Test func `O-26: a repeated call completes the deletion`() async throws {
        let caller = try await interrupted()
        #expect(await rig.code(.deleteAccount, by: caller) == "auth/user-disabled")
        try await expectDeleted(caller)
        let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))
        #expect(try await store.owner(of: link) == nil)
        let lines = rig.log.all.filter { $0.level == .notice }.map(\.text)
        #expect(lines.count == 1 && lines[0].contains("\"event\": delete"))
    }

    @Test func `a disabled user without a deletion keeps the account`() async throws {
        let caller = try await rig.session()
        try await store.setDisabled(caller.user, true)
        #expect(await rig.code(.deleteAccount, by: caller) == "auth/user-disabled")
        #expect(try await store.account(caller.user) != nil)
    }

    @Test(arguments: [IdentityProvider.google, .oidc("corp")])
    func `O-26: a sign-in of the identity or by its address creates another account`(
        _ provider: IdentityProvider
    ) async throws {
        let caller = try await interrupted()
        rig.time.advance(seconds: 2)
        let next = try await rig.signIn(try await rig.proof(provider, .ada))
        #expect(next.isNew == true && next.uid != caller.uid)
        try await expectDeleted(caller)
    }

    @Test func `an address of a deleted account can be linked`() async throws {
        let caller = try await interrupted()
        let other = try await rig.session(.google, .dennis)
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .ada), by: other) == "ok")
        try await expectDeleted(caller)
    }
}
