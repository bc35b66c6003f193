import Authentication
import Authorization
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// A store view, and the decisions of an authorizer that reads it.
struct DecisionRig {
    static let now = ManualClock.start

    let view = StoreView()
    /// Whether the latest records are only in the store itself and not in the view.
    var isShared = false
    var queriesFirebase = false
    var acrValues: [String: String] = [:]

    init() { view.setAlwaysFresh() }

    /// Returns a description of the decision, and the store failures that it reports.
    func decide(
        _ entry: VerifiedTokenCache.Entry?, answer: StoreRecords? = nil, account: AccountView = .notQueried,
        monotonic: UInt64 = 0, mayWait: Bool = false, _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) -> (verdict: String, failures: [StoreFailure]) {
        var policy = RoutePolicy()
        adjust(&policy)
        var failures: [StoreFailure] = []
        let authorizer = Authorizer(
            store: view.reader(), viewIsAuthoritative: !isShared, clockSkew: 5, maxStaleness: 60,
            queriesFirebase: queriesFirebase, acrValues: acrValues)
        let context = DecisionContext(
            now: Self.now, monotonic: monotonic, mayWait: mayWait, records: answer, account: account)
        let decision = authorizer.decide(policy, identity: entry, in: context) { failures.append($0) }
        if case .permit(let permit) = decision { #expect(permit.identity === entry) }
        return (words(decision, isAnonymous: entry == nil), failures)
    }

    private func words(_ decision: Decision, isAnonymous: Bool) -> String {
        switch decision {
        case .permit(let permit):
            (isAnonymous ? "anonymous" : "passes") + (permit.signedInAt.map { " at \($0.seconds - Self.now)" } ?? "")
        case .deny(let denial):
            (["\(denial.code)", denial.maxAge.map { "\($0)" }, denial.challengeParameter] as [String?])
                .compactMap { $0 }.joined(separator: " ")
        case .awaitStore: "waits"
        case .queryStore(let query): "queries \(query.rawValue)"
        case .lookUp: "looks up"
        }
    }

    func set(user key: StoreKey, to record: UserRecord) { view.setUser(key, to: RecordWord(record)) }

    func set(session record: SessionRecord, of token: TokenDraft) throws {
        view.setSession(try token.principal().sessionKey, to: RecordWord(record))
    }

    /// Sets the record of the user of `TokenDraft.idToken()`.
    func set(user record: UserRecord) throws { set(user: try TokenDraft.idToken().principal().userKey, to: record) }
}

extension VerifiedTokenCache.Entry {
    static func of(_ principal: Principal) -> VerifiedTokenCache.Entry {
        VerifiedTokenCache.Entry(
            principal: principal, verifier: 0, keySetGeneration: 1,
            identity: RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false))
    }
}

extension TokenDraft {
    /// An ID token of a user who signed in `secondsAgo` seconds ago.
    static func signedIn(_ secondsAgo: Int64) -> TokenDraft {
        idToken().with("auth_time", "\(ManualClock.start - secondsAgo)")
    }
}

extension UserLookup {
    /// The record of a user whose tokens are valid if they signed in within the last `secondsAgo` seconds.
    static func validSince(_ secondsAgo: Int64) -> UserLookup {
        .record(validSince: UnixTime(clamping: ManualClock.start - secondsAgo), disabled: false)
    }
}
