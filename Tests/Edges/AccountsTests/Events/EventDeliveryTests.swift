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

/// What becomes of an event that comes twice, at once, or while something is down.
@Suite struct EventDeliveryTests {
    private static let link = EventRig.ada
    private static let other = IdentityLink(provider: "google.com", subject: "g-1")

    private static func token(
        _ type: String = "account-delete", id: String = "j-1", signer: SigningKey = TokenDraft.key
    ) -> String {
        ProviderSample.apple.draft.with("sub", nil).with("email", nil).with("jti", "\"\(id)\"")
            .with("events", #"{"type":"\#(type)","sub":"user-1","email":"secret@example.com"}"#).signed(by: signer)
    }

    @Test func h14ARepetitionIsAnsweredAlikeAndHasNoEffect() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token()).isAccepted)
        // What an operator took back stays so.
        try await rig.store.setDisabled(Self.link.name, false)
        try await rig.store.unrevoke("ada")
        _ = try await rig.store.claim(Self.link, for: "ada")
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(try await rig.store.user("ada") == UserRecord())
        #expect(try await !rig.store.user(Self.link.name).disabled)
        #expect(try await rig.store.owner(of: Self.link) == "ada")
        #expect(rig.log.taken.count == 1)
    }

    @Test func anotherEventOfTheSameUserTakesEffect() async throws {
        let rig = try EventRig()
        #expect(await rig.notify(Self.token("consent-revoked")).isAccepted)
        try await rig.store.unrevoke(Self.link.name)
        #expect(await rig.notify(Self.token("consent-revoked", id: "j-2")).isAccepted)
        #expect(try await rig.store.user(Self.link.name).validSince?.seconds == EventRig.now - 100)
        #expect(rig.log.taken.count == 2)
    }

    @Test func theNamesOfTwoIssuersEventsAreApart() async throws {
        let rig = try EventRig()
        let logout = ProviderSample.oidc.draft.with("jti", #""j-1""#)
            .with("events", #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#).signed()
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(await rig.logOut(logout).isAccepted)
        #expect(rig.log.taken.count == 2)
    }

    @Test func h14OfManyDeliveriesAtOnceOnTwoGatewaysOneIsTaken() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        let gateways = [rig, try EventRig(rig.store, log: rig.log)]
        let token = Self.token()
        let accepted = try await winners(of: 100) { await gateways[$0 % 2].notify(token).isAccepted }
        #expect(accepted == 100)
        #expect(rig.log.taken.count == 1)
        #expect(try await rig.store.user("ada").validSince?.seconds == EventRig.now - 100)
        #expect(try await rig.store.owner(of: Self.link) == nil)
    }

    @Test func whatFailedHalfwayIsDoneAtTheRepetition() async throws {
        let path = try TemporaryFolder().path("gatehouse.db")
        let store = try await Self.store(
            at: path, after: "INSERT INTO user (uid, valid_since, disabled) VALUES ('ada', 'soon', 0)")
        let rig = try EventRig(store)
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token()).refusal?.code == .storeUnavailable)
        #expect(try await store.user(Self.link.name).disabled)
        #expect(try await store.owner(of: Self.link) == "ada")
        #expect(rig.log.taken.isEmpty)

        try await store.unrevoke("ada")
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(try await store.user("ada").validSince?.seconds == EventRig.now - 100)
        #expect(try await store.owner(of: Self.link) == nil)
        #expect(rig.log.taken.count == 1)
    }

    /// A store over a file into which someone wrote `sql`, valid or not.
    private static func store(at path: String, after sql: String) async throws -> SQLiteStore {
        try await SQLiteStore(path: path, logger: .silent).close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            try db.execute(sql: sql)
        }
        try queue.close()
        let store = try SQLiteStore(path: path, clock: .standing(at: EventRig.now), logger: .silent)
        try await store.load()
        return store
    }

    @Test func whileTheStoreIsDownTheSenderIsToldToComeAgain() async throws {
        let rig = try EventRig()
        try await rig.store.close()
        let refusal = await rig.notify(Self.token()).refusal
        #expect(refusal?.code == .storeUnavailable)
        #expect(refusal?.retryAfter == 1)
    }

    @Test func whileTheKeysAreDownTheSenderIsToldToComeAgain() async throws {
        let rig = try EventRig(keys: .unavailable(retryAfter: 7))
        let refusal = await rig.notify(Self.token()).refusal
        #expect(refusal?.code == .keysUnavailable)
        #expect(refusal?.retryAfter == 7)
        #expect(try await rig.store.user(Self.link.name) == UserRecord())
    }

    @Test func aKeyThatTheProviderHasNotIsTheTokensFault() async throws {
        let rig = try EventRig(keys: .unknown)
        #expect(await rig.notify(Self.token()).refusal?.code == .invalidCredential)
    }

    @Test func l01TheLogNamesTheAccountAndNothingOfTheProvidersUser() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token()).isAccepted)
        #expect(await rig.notify(Self.token("consent-revoked", id: "j-2")).isAccepted)
        #expect(await rig.notify(Self.token(signer: TokenDraft.forgedKey)).refusal != nil)
        #expect(
            rig.log.lines == [
                "notice event taken event=account-delete provider=apple.com request=r-1 uid=ada",
                "notice event taken event=consent-revoked provider=apple.com request=r-1",
                "info event refused code=auth/invalid-credential reason=the signature does not fit request=r-1",
            ])
    }

    @Test(arguments: AccountEndpoint.allCases.filter { !$0.isEvent })
    func aCallThatIsNoEventIsNotServed(_ endpoint: AccountEndpoint) async throws {
        let rig = try EventRig()
        #expect(await rig.post([], to: endpoint).refusal?.code == .routeNotFound)
    }
}
