import Authorization
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Decisions with a lookup in Identity Toolkit in addition to the store.
@Suite struct AccountDecisionTests {
    private var rig = DecisionRig()

    init() { rig.queriesFirebase = true }

    private func decide(
        _ account: AccountView, _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) throws -> (verdict: String, failures: [StoreFailure]) {
        rig.decide(try TokenDraft.idToken().entry(), account: account, mayWait: true, adjust)
    }

    private func allow(_ policy: inout RoutePolicy) { policy.allowsOnStoreFailure = true }

    /// The user of these tokens signed in 100 s ago.
    @Test(arguments: [
        (AccountStatus.State.good, "passes"),
        (.account(validSince: UnixTime(clamping: ManualClock.start - 100), disabled: false), "passes"),
        (.account(validSince: UnixTime(clamping: ManualClock.start - 99), disabled: false), "idTokenRevoked"),
        (.account(validSince: nil, disabled: true), "userDisabled"),
        (.account(validSince: UnixTime(clamping: ManualClock.start), disabled: true), "userDisabled"),
        (.missing, "idTokenRevoked"), (.unavailable, "storeUnavailable"),
    ])
    func `the status of the account decides`(_ status: AccountStatus.State, _ verdict: String) throws {
        #expect(try decide(.known(status)).verdict == verdict)
    }

    /// A credential of a provider that belongs to a Firebase user by a link from Firebase.
    @Test func `an identity that Firebase does not list is not that of the user`() throws {
        let hasher = try #require(SHA256Hasher())
        let evidence = FirebaseEvidence(project: "my-app", name: .identity(provider: "google.com", id: "104"))
        let record = AccountRecord(user: "ada", links: ["google.com": "104"], evidence: ["google.com": evidence])
        let derived = try #require(Principal(try .made(), hasher: hasher))
        let entry = VerifiedTokenCache.Entry.of(try #require(derived.owned(by: record, hasher: hasher)))
        func verdict(_ status: AccountStatus.State) -> String {
            rig.decide(entry, account: .known(status), mayWait: true).verdict
        }
        let key = try #require(evidence.key(hasher: hasher))
        #expect(verdict(.account(validSince: nil, disabled: false, FirebaseAccount(keys: [key]))) == "passes")
        #expect(verdict(.account(validSince: nil, disabled: false)) == "idTokenRevoked")
        #expect(verdict(.account(validSince: nil, disabled: true)) == "userDisabled")
        #expect(verdict(.missing) == "idTokenRevoked" && verdict(.unavailable) == "storeUnavailable")
        #expect(DecisionRig().decide(entry).verdict == "idTokenRevoked", "Firebase is no source any more")
    }

    @Test func `only a route that checks revocation looks an account up, if Firebase is a source`() throws {
        #expect(try decide(.notQueried).verdict == "looks up")
        #expect(try decide(.notQueried) { $0.revocation = .off }.verdict == "passes")
        #expect(DecisionRig().decide(try TokenDraft.idToken().entry()).verdict == "passes")
    }

    @Test func `a denial by the store needs no lookup`() throws {
        try rig.set(user: .since(DecisionRig.now))
        #expect(try decide(.notQueried).verdict == "idTokenRevoked")
        #expect(try decide(.known(.good)).verdict == "idTokenRevoked")
    }

    @Test func `an outage is denied unless the route allows it, and the last known status holds`() throws {
        #expect(try decide(.failed(lastKnown: nil)) == ("storeUnavailable", [.accountsUnavailable]))
        #expect(try decide(.failed(lastKnown: nil), allow) == ("passes", [.accountsUnavailable]))
        let disabled = AccountView.failed(lastKnown: .account(validSince: nil, disabled: true))
        #expect(try decide(disabled, allow) == ("userDisabled", []))
        #expect(try decide(.failed(lastKnown: .good), allow) == ("passes", [.accountsUnavailable]))
        #expect(try decide(.failed(lastKnown: .good)) == ("storeUnavailable", [.accountsUnavailable]))
    }
}
