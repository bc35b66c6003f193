import Authentication
import Authorization
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

/// Decisions where Identity Toolkit is asked besides the store.
@Suite struct AccountDecisionTests {
    private static let now = ManualClock.start
    private let view = StoreView()

    init() {
        view.setAlwaysFresh()
    }

    private func decide(
        _ account: AccountView, asksFirebase: Bool = true, entry: VerifiedTokenCache.Entry? = nil,
        _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) throws -> (verdict: String, failures: [StoreFailure]) {
        var policy = RoutePolicy()
        adjust(&policy)
        var failures: [StoreFailure] = []
        let authorizer = Authorizer(
            store: view.reader(), clockSkew: 5, maxStaleness: 60, asksFirebase: asksFirebase)
        let decision = authorizer.decide(
            policy, identity: try entry ?? TokenDraft.idToken().entry(),
            in: DecisionContext(now: Self.now, monotonic: 0, mayWait: true, account: account)
        ) { failures.append($0) }
        let verdict =
            switch decision {
            case .permit: "passes"
            case .deny(let denial): "\(denial.code)"
            case .awaitStore: "waits"
            case .queryStore: "asks"
            case .lookUp: "looks up"
            }
        return (verdict, failures)
    }

    private func allow(_ policy: inout RoutePolicy) { policy.allowsOnStoreFailure = true }

    /// The token of these tests was signed in 100 s ago.
    @Test(arguments: [
        (AccountStatus.Answer.account(validSince: nil, disabled: false), "passes"),
        (.account(validSince: UnixTime(clamping: ManualClock.start - 100), disabled: false), "passes"),
        (.account(validSince: UnixTime(clamping: ManualClock.start - 99), disabled: false), "idTokenRevoked"),
        (.account(validSince: nil, disabled: true), "userDisabled"),
        (.account(validSince: UnixTime(clamping: ManualClock.start), disabled: true), "userDisabled"),
        (.missing, "idTokenRevoked"),
        (.unavailable, "storeUnavailable"),
    ])
    func theAnswerDecides(_ answer: AccountStatus.Answer, _ verdict: String) throws {
        #expect(try decide(.known(answer)).verdict == verdict)
    }

    @Test func whoWasNotAskedAboutIsLookedUp() throws {
        #expect(try decide(.notAsked).verdict == "looks up")
    }

    @Test func withoutThatSourceNobodyIsLookedUp() throws {
        #expect(try decide(.notAsked, asksFirebase: false).verdict == "passes")
    }

    @Test func aRouteThatDoesNotAskAboutRevocationsLooksNobodyUp() throws {
        #expect(try decide(.notAsked) { $0.revocation = .off }.verdict == "passes")
    }

    @Test func theStoresOwnRefusalNeedsNoLookUp() throws {
        let record = RecordWord(UserRecord(validSince: UnixTime(clamping: Self.now)))
        view.setUser(try TokenDraft.idToken().principal().userKey, to: record)
        #expect(try decide(.notAsked).verdict == "idTokenRevoked")
        #expect(try decide(.known(.account(validSince: nil, disabled: false))).verdict == "idTokenRevoked")
    }

    @Test func anOutageIsDeniedUnlessTheRouteAllowsIt() throws {
        #expect(try decide(.failed(lastKnown: nil)) == ("storeUnavailable", [.accountsUnavailable]))
        #expect(try decide(.failed(lastKnown: nil), allow) == ("passes", [.accountsUnavailable]))
    }

    @Test func whatWasKnownHoldsThroughAnOutage() throws {
        let disabled = AccountView.failed(lastKnown: .account(validSince: nil, disabled: true))
        #expect(try decide(disabled, allow) == ("userDisabled", []))
        let fine = AccountView.failed(lastKnown: .account(validSince: nil, disabled: false))
        #expect(try decide(fine, allow) == ("passes", [.accountsUnavailable]))
        #expect(try decide(fine) == ("storeUnavailable", [.accountsUnavailable]))
    }
}
