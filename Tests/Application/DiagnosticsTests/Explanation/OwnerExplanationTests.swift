import Authentication
import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import Diagnostics
@testable import GatewayFixtures
@testable import StoreFixtures

/// `explain` of tokens of providers in a gateway with accounts: the owner of the identity.
@Suite struct OwnerExplanationTests {
    private static let clock = GatewayClock(now: { ManualClock.start }, monotonic: { 1_000_000_000 })

    private func explain(
        _ owners: OwnerEvidenceSource, accounts: Bool = true, unlinked: Configuration.Accounts.Unlinked = .derive
    ) async throws -> Explanation {
        let sample = ProviderSample.google
        var configuration = Given.configuration([Given.route("/**")])
        configuration.identity.firebase = nil
        configuration.identity.providers = [sample.provider()]
        configuration.store = .sqliteMemory
        if accounts { configuration.accounts = Configuration.Accounts() }
        configuration.accounts?.unlinked = unlinked
        let set = try FetchedKeySet(sample.keySet, maxAge: 60)
        let explainer = try Explainer(
            configuration, keys: KeyEvidenceSource { .fetched(set, of: $0) },
            records: RecordSource { _, _ in .nothingRecorded }, owners: owners, clock: Self.clock)
        return try await explainer.explain(ExplainedRequest(method: "GET", url: "/a", token: sample.signed()))
    }

    @Test func `an identity without an account has a derived uid`() async throws {
        let explanation = try await explain(OwnerEvidenceSource { _ in .unowned("told by a test") })
        #expect(explanation.code == .ok)
        #expect(explanation.step("link")?.detail == "no account: the uid is derived from the identity; told by a test")
    }

    @Test func `an identity without an account is denied if configured`() async throws {
        let explanation = try await explain(OwnerEvidenceSource { _ in .unowned("told by a test") }, unlinked: .deny)
        #expect(explanation.code == .permissionDenied && explanation.failures == ["link"])
    }

    @Test func `the owner of an identity is reported`() async throws {
        let owner = OwnerEvidenceSource { _ in .owner(AccountRecord(uid: "0a1b"), from: "told by a test") }
        let explanation = try await explain(owner)
        #expect(explanation.code == nil && explanation.failures.isEmpty)
        #expect(explanation.step("link")?.detail == "the account \"0a1b\"; told by a test")
    }

    @Test func `without a lookup of the link the outcome is undetermined`() async throws {
        let explanation = try await explain(.none)
        #expect(explanation.code == nil)
        #expect(explanation.step("link") == ExplanationStep(.unknown, "link", "the link was not checked"))
    }

    @Test func `the owner is read from the file of the store`() async throws {
        let folder = try TemporaryFolder()
        var configuration = Given.configuration([Given.route("/**")])
        configuration.store = .sqlite(path: folder.path("gatehouse.db"))
        let source = OwnerEvidenceSource.live(configuration)
        let link = IdentityLink(provider: "google.com", subject: "g-1")
        let store = try SQLiteStore(path: folder.path("gatehouse.db"), logger: .silent)
        _ = try await store.claim(link, for: "ann")
        guard case .unknown(let why) = await source.lookUp(link), why.contains("is in use by a gateway") else {
            Issue.record("the file is in use")
            return
        }
        try await store.close()
        guard case .owner(let owner, _) = await source.lookUp(link) else {
            Issue.record("the link has an owner")
            return
        }
        #expect(owner.uid == "ann")
    }
}
