import Authorization
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

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
