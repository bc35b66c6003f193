import Accounts
import GRDB
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Events that are delivered twice, concurrently, or during an outage.
@Suite struct EventDeliveryTests {
    private static let link = EventRig.ada
    private static let other = IdentityLink(provider: "google.com", subject: "g-1")

    private static func token(
        _ type: String = "account-delete", id: String = "j-1", signer: SigningKey = TokenDraft.key
    ) -> String {
        ProviderSample.apple.draft.with("sub", nil).with("email", nil).with("jti", "\"\(id)\"")
            .with("events", #"{"type":"\#(type)","sub":"user-1","email":"secret@example.com"}"#).signed(by: signer)
    }

    @Test func `H-14: a repeated delivery is accepted without effect`() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token()).isAccepted)
        // An operator reverts the effects.
        try await rig.store.setDisabled(Self.link.name, false)
        try await rig.store.unrevoke("ada")
        _ = try await rig.store.claim(Self.link, for: "ada")
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(try await rig.store.user("ada") == UserRecord())
        #expect(try await !rig.store.user(Self.link.name).disabled)
        #expect(try await rig.store.owner(of: Self.link) == "ada")
        #expect(rig.log.applied.count == 1)
    }

    @Test func `another event of the same user takes effect`() async throws {
        let rig = try EventRig()
        #expect(await rig.notify(Self.token("consent-revoked")).isAccepted)
        try await rig.store.unrevoke(Self.link.name)
        #expect(await rig.notify(Self.token("consent-revoked", id: "j-2")).isAccepted)
        #expect(try await rig.store.user(Self.link.name).validSince?.seconds == EventRig.now - 100)
        #expect(rig.log.applied.count == 2)
    }

    @Test func `two issuers may use the same token id`() async throws {
        let rig = try EventRig()
        let logout = ProviderSample.oidc.draft.with("jti", #""j-1""#)
            .with("events", #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#).signed()
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(await rig.logOut(logout).isAccepted)
        #expect(rig.log.applied.count == 2)
    }

    @Test func `H-14: concurrent deliveries on two gateways take effect once`() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        let gateways = [rig, try EventRig(rig.store, log: rig.log)]
        let token = Self.token()
        let accepted = try await winners(of: 100) { await gateways[$0 % 2].notify(token).isAccepted }
        #expect(accepted == 100)
        #expect(rig.log.applied.count == 1)
        #expect(try await rig.store.user("ada").validSince?.seconds == EventRig.now - 100)
        #expect(try await rig.store.owner(of: Self.link) == nil)
    }

    @Test func `a repeated delivery completes an event that failed halfway`() async throws {
        let path = try TemporaryFolder().path("gatehouse.db")
        let store = try await Self.store(
            at: path, after: "INSERT INTO user (uid, valid_since, disabled) VALUES ('ada', 'soon', 0)")
        let rig = try EventRig(store)
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token()).denial?.code == .storeUnavailable)
        #expect(try await store.user(Self.link.name).disabled)
        #expect(try await store.owner(of: Self.link) == "ada")
        #expect(rig.log.applied.isEmpty)

        try await store.unrevoke("ada")
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(try await store.user("ada").validSince?.seconds == EventRig.now - 100)
        #expect(try await store.owner(of: Self.link) == nil)
        #expect(rig.log.applied.count == 1)
    }

    /// A store over a file in which `sql` was executed.
    private static func store(at path: String, after sql: String) async throws -> SQLiteStore {
        try await SQLiteStore(path: path, logger: .silent).close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try db.execute(sql: sql)
        }
        try queue.close()
        let store = try SQLiteStore(path: path, clock: .facts(at: EventRig.now), logger: .silent)
        try await store.load()
        return store
    }

    @Test func `an outage asks the sender to retry`() async throws {
        let keys = try EventRig(keys: .unavailable(retryAfter: 7))
        let unavailable = await keys.notify(Self.token()).denial
        #expect(unavailable?.code == .keysUnavailable && unavailable?.retryAfter == 7)
        #expect(try await keys.store.user(Self.link.name) == UserRecord())
        let rig = try EventRig()
        try await rig.store.close()
        let closed = await rig.notify(Self.token()).denial
        #expect(closed?.code == .storeUnavailable && closed?.retryAfter == 1)
        #expect(await (try EventRig(keys: .unknown)).notify(Self.token()).denial?.code == .invalidCredential)
        let unconfirmed = await (try EventRig(keys: .unconfirmed(retryAfter: 7))).notify(Self.token()).denial
        #expect(unconfirmed?.code == .keysUnavailable && unconfirmed?.retryAfter == 7)
    }

    @Test func `L-01: the log names the account and not the user of the provider`() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(await rig.notify(Self.token("consent-revoked", id: "j-2")).isAccepted)
        #expect(await rig.notify(Self.token(signer: TokenDraft.forgedKey)).denial != nil)
        #expect(
            rig.log.lines == [
                "notice event applied event=account-delete provider=apple.com request_id=r-1 uid=ada",
                "notice event applied event=consent-revoked provider=apple.com request_id=r-1",
                "info event refused code=auth/invalid-credential reason=the signature is invalid request_id=r-1",
            ])
    }

    @Test(arguments: AccountEndpoint.allCases.filter { !$0.isEvent })
    func `a call that is not an event is not served`(endpoint: AccountEndpoint) async throws {
        let rig = try EventRig()
        #expect(await rig.post([], to: endpoint).denial?.code == .routeNotFound)
    }
}
