import Authentication
import Authorization
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

/// Decisions where the view follows a store that others write to, so that only the store itself can tell the latest.
@Suite struct SharedStoreDecisionTests {
    private static let now = ManualClock.start
    private let view = StoreView()

    init() {
        view.confirm(at: 0)
    }

    private func decide(
        _ token: TokenDraft = .idToken(), answer: StoreAnswer? = nil, monotonic: UInt64 = 0,
        _ adjust: (inout RoutePolicy) -> Void
    ) throws -> (String, [StoreFailure]) {
        var policy = RoutePolicy()
        adjust(&policy)
        var failures: [StoreFailure] = []
        let authorizer = Authorizer(
            store: view.reader(), viewIsAuthoritative: false, clockSkew: 5, maxStaleness: 60)
        let decision = authorizer.decide(
            policy, identity: try token.entry(),
            in: DecisionContext(now: Self.now, monotonic: monotonic, mayWait: false, answer: answer)
        ) { failures.append($0) }
        return (word(decision), failures)
    }

    private func word(_ decision: Decision) -> String {
        switch decision {
        case .permit(let permit): "passes" + (permit.signedInAt.map { " at \($0.seconds - Self.now)" } ?? "")
        case .deny(let denial): "\(denial.code)"
        case .awaitStore: "waits"
        case .queryStore(let question):
            question == .session ? "asks of the session" : question == .user ? "asks of the user" : "asks of both"
        case .lookUp: "looks up"
        }
    }

    private func old() -> TokenDraft { TokenDraft.idToken().with("auth_time", "\(Self.now - 4000)") }

    private func strict(_ policy: inout RoutePolicy) { policy.revocation = .strict }
    private func recent(_ policy: inout RoutePolicy) { policy.recentSignIn = 300 }

    // MARK: - Replicated

    @Test func aReplicatedRouteAsksNobody() throws {
        #expect(try decide { _ in }.0 == "passes")
    }

    @Test func h03ARevocationInTheViewCountsAtOnce() throws {
        view.setUser(
            try TokenDraft.idToken().principal().userKey,
            to: RecordWord(UserRecord(validSince: UnixTime(clamping: Self.now))))
        #expect(try decide { _ in }.0 == "idTokenRevoked")
    }

    // MARK: - Strict

    @Test func aStrictRouteAsksTheStoreItself() throws {
        #expect(try decide(.idToken(), strict).0 == "asks of both")
    }

    @Test func aStrictRouteDoesNotNeedTheView() throws {
        view.setStale()
        let known = StoreAnswer.records(user: UserLookup.none, session: SessionLookup.none)
        #expect(try decide(answer: known, strict).0 == "passes")
    }

    @Test(arguments: [
        (UserLookup.none, SessionLookup.none, "passes"),
        (.record(validSince: UnixTime(clamping: ManualClock.start - 100), disabled: false), .none, "passes"),
        (.record(validSince: UnixTime(clamping: ManualClock.start - 99), disabled: false), .none, "idTokenRevoked"),
        (.record(validSince: nil, disabled: true), .none, "userDisabled"),
        (.record(validSince: UnixTime(clamping: ManualClock.start), disabled: true), .none, "userDisabled"),
        (.faulty, .none, "storeUnavailable"),
        (.none, .record(revoked: true, signedInAt: nil), "idTokenRevoked"),
        (.none, .record(revoked: false, signedInAt: 5), "passes"),
        (.none, .faulty, "storeUnavailable"),
    ])
    func theAnswerDecides(_ user: UserLookup, _ session: SessionLookup, _ verdict: String) throws {
        #expect(try decide(answer: .records(user: user, session: session), strict).0 == verdict)
    }

    @Test func whatTheViewKnowsCountsBesidesAnAnswerThatKnowsNothing() throws {
        view.setUser(try TokenDraft.idToken().principal().userKey, to: RecordWord(UserRecord(disabled: true)))
        let answer = StoreAnswer.records(user: UserLookup.none, session: SessionLookup.none)
        #expect(try decide(answer: answer, strict).0 == "userDisabled")
    }

    @Test(arguments: [StoreFailure.timedOut, .unreachable, .overloaded, .refused])
    func h04AStoreThatDoesNotAnswerIs503(_ failure: StoreFailure) throws {
        let (verdict, failures) = try decide(answer: .failed(failure), strict)
        #expect(verdict == "storeUnavailable")
        #expect(failures == [failure])
    }

    @Test func h04AllowPassesWithoutAnAnswerAndIsTold() throws {
        let (verdict, failures) = try decide(answer: .failed(.timedOut)) {
            $0.revocation = .strict
            $0.allowsOnStoreFailure = true
        }
        #expect(verdict == "passes")
        #expect(failures == [.timedOut])
    }

    @Test func h04AllowDoesNotForgetWhatTheViewKnows() throws {
        view.setUser(
            try TokenDraft.idToken().principal().userKey,
            to: RecordWord(UserRecord(validSince: UnixTime(clamping: Self.now))))
        let policies: [(StoreAnswer?, UInt64, RoutePolicy.Revocation)] = [
            (.failed(.timedOut), 0, .strict), (nil, 100, .replicated),
        ]
        for (answer, monotonic, revocation) in policies {
            let (verdict, failures) = try decide(answer: answer, monotonic: monotonic) {
                $0.revocation = revocation
                $0.allowsOnStoreFailure = true
            }
            #expect(verdict == "idTokenRevoked")
            #expect(failures.isEmpty)
        }
    }

    /// A user's record that cannot be read does not let a session pass that was ended.
    @Test(arguments: [RoutePolicy.Revocation.strict, .replicated])
    func h04AllowDoesNotForgetASessionForAFaultyUser(_ revocation: RoutePolicy.Revocation) throws {
        let principal = try TokenDraft.idToken().principal()
        view.setUser(principal.userKey, to: .faulty)
        view.setSession(principal.sessionKey, to: RecordWord(SessionRecord(revoked: true)))
        let answer = StoreAnswer.records(user: .faulty, session: .record(revoked: true, signedInAt: nil))
        let (verdict, failures) = try decide(answer: revocation == .strict ? answer : nil) {
            $0.revocation = revocation
            $0.allowsOnStoreFailure = true
        }
        #expect(verdict == "idTokenRevoked")
        #expect(failures.isEmpty)
    }

    @Test func halfAnAnswerIsNone() throws {
        #expect(try decide(answer: .records(user: nil, session: SessionLookup.none), strict).0 == "asks of both")
    }

    // MARK: - Recent sign-in

    @Test func theStoreIsNotAskedWhereTheTokenIsRecentEnough() throws {
        #expect(try decide(.idToken(), recent).0 == "passes")
    }

    @Test func theStoreIsAskedWhereItIsNot() throws {
        #expect(try decide(old(), recent).0 == "asks of the session")
    }

    @Test func theViewsSessionsSayNothingOfSignIns() throws {
        view.setSession(
            try old().principal().sessionKey, to: RecordWord(SessionRecord(signedInAt: UnixTime(clamping: Self.now))))
        #expect(try decide(old(), recent).0 == "asks of the session")
    }

    @Test(arguments: [
        (SessionLookup.none, "requiresRecentLogin"),
        (.record(revoked: false, signedInAt: UnixTime(clamping: ManualClock.start - 20)), "passes at -20"),
        (.record(revoked: false, signedInAt: UnixTime(clamping: ManualClock.start - 301)), "requiresRecentLogin"),
        (.record(revoked: false, signedInAt: nil), "requiresRecentLogin"),
        (.record(revoked: true, signedInAt: UnixTime(clamping: ManualClock.start - 20)), "idTokenRevoked"),
        (.faulty, "storeUnavailable"),
    ])
    func theRecordedSignInDecides(_ session: SessionLookup, _ verdict: String) throws {
        #expect(try decide(old(), answer: .records(user: nil, session: session), recent).0 == verdict)
    }

    @Test func oneQuestionServesRevocationAndRecency() throws {
        let answer = StoreAnswer.records(
            user: UserLookup.none, session: .record(revoked: false, signedInAt: UnixTime(clamping: Self.now - 20)))
        let ask: (inout RoutePolicy) -> Void = {
            $0.revocation = .strict
            $0.recentSignIn = 300
        }
        #expect(try decide(old(), ask).0 == "asks of both")
        #expect(try decide(old(), answer: answer, ask).0 == "passes at -20")
    }

    @Test func recencyIsNeverAssumed() throws {
        let (verdict, failures) = try decide(old(), answer: .failed(.timedOut)) {
            $0.recentSignIn = 300
            $0.allowsOnStoreFailure = true
        }
        #expect(verdict == "storeUnavailable")
        #expect(failures == [.timedOut])
    }
}
